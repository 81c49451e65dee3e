"""The reports that the player sends, and what becomes of them."""

from typing import Literal

from msgspec import Struct

from trilha.core.types import Timestamp

# APPLIED: the report counts. REPEATED: it equals the last report. STALE: a later report was accepted before.
# CONFLICTING: it has the number of the last report and another body. SUPERSEDED and EXPIRED: its launch is.
# CLOSED: the attempt was handed in before. REVIEW: nothing counts in this launch.
Outcome = Literal["APPLIED", "REPEATED", "STALE", "CONFLICTING", "SUPERSEDED", "EXPIRED", "CLOSED", "REVIEW"]
# PARTLY: the server's clock left no room for a part of the report. INVALID: it cannot be read.
UnappliedOutcome = Outcome | Literal["PARTLY", "INVALID"]
# The reports that a browser holds until the server has them, by the last part of their address.
ReportKind = Literal["commit", "watched", "dwelled", "read", "answers", "beats"]


class Report(Struct, frozen=True, kw_only=True):
    """What all reports of the player have in common.

    `sequence` counts the reports of a launch from 1, and `final` marks the one that is sent when the learner
    leaves. `raw` is the whole body, and `hash` its digest. `base` is the attempt's `late_commits` when the
    page was loaded. `sent_at` is the browser's time in milliseconds since 1970. `left_out` counts the answers
    that were too large for the browser to send.
    """

    sequence: int
    final: bool
    hash: bytes
    raw: bytes
    base: int | None = None
    sent_at: float = 0.0
    left_out: int = 0


class ReportResult(Struct, frozen=True):
    """What became of a report.

    `superseded`: the module was opened again elsewhere. `completed`: the report has completed the enrollment.
    `progress` is the attempt's progress in a video, document or article, and `uncounted` are the seconds of
    watching or reading that the server's clock left no room for.
    """

    outcome: Outcome
    superseded: bool
    completed: bool = False
    progress: float | None = None
    uncounted: float = 0.0


class ReportSummary(Struct, frozen=True):
    """What an administrator reads of a report. Content itself has set `status`."""

    status: str = ""
    score: float | None = None
    answers: int = 0


class UnappliedReport(Struct, frozen=True):
    """A report that could not be applied. `has_body` says whether there was room for its body."""

    kind: ReportKind
    outcome: UnappliedOutcome
    status: str
    score: float | None
    answers: int
    size: int
    has_body: bool
    done_at: Timestamp | None
    received_at: Timestamp
