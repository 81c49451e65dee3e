"""What all reports of the player have in common, and what becomes of them."""

from typing import Literal

from msgspec import Struct

# APPLIED: it counts. REPEATED: it is the last one once more. STALE: one that came after it was taken
# already. CONFLICTING: another body under the last one's number. SUPERSEDED, EXPIRED: so is the launch.
# CLOSED: the attempt was handed in already. REVIEW: the launch is one in which nothing counts.
Outcome = Literal["APPLIED", "REPEATED", "STALE", "CONFLICTING", "SUPERSEDED", "EXPIRED", "CLOSED", "REVIEW"]

# The reports that carry a learner's work, by the last part of their address.
ReportKind = Literal["commit", "watched", "dwelled", "read", "answers"]


class Report(Struct, frozen=True, kw_only=True):
    """What all reports of the player have in common.

    `sequence` grows with every report of a launch, from 1; `final` is the one with which content is left.
    `raw` is the whole body and `hash` is of it. `base` is the attempt's `late_commits` as its page was made
    with them. `sent_at` is by the browser's clock, in milliseconds since 1970. `left_out` is how many answers
    the browser did not send because they were too large.
    """

    sequence: int
    final: bool
    hash: bytes
    raw: bytes
    base: int | None = None
    sent_at: float = 0.0
    left_out: int = 0


class ReportResult(Struct, frozen=True):
    """`superseded`: the module was opened again elsewhere. `completed`: the enrollment is, by this.
    `progress` is the attempt's, of what is watched or read and counted; `uncounted` are seconds of it that
    the server's clock has no room for."""

    outcome: Outcome
    superseded: bool
    completed: bool = False
    progress: float | None = None
    uncounted: float = 0.0
