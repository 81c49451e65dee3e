"""Decides what becomes of a report, and describes it for the log. No I/O, no clock."""

from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.launches import rules as launch_rules
from trilha.training.learning.launches.schema import LockedLaunch
from trilha.training.learning.player_reports.schema import Outcome, Report
from trilha.training.scorm.runtime.mapping import State

_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class LaunchState(Struct, frozen=True):
    """The members of a launch that decide on its reports.

    `newer_applied`: a report of a later launch of the attempt was applied. `outdated`: another launch has
    changed the attempt since this one loaded it. `over`: the enrollment has expired.
    """

    last_sequence: int
    last_hash: bytes
    superseded: bool
    newer_applied: bool
    seen_at: datetime
    over: bool = False
    outdated: bool = False
    review: bool = False


def decide_report_outcome(locked: LockedLaunch, report: Report, now: datetime, *, held: bool) -> Outcome:
    """Decides what becomes of a report from its launch, its attempt and its enrollment."""
    state = build_launch_state(locked, report.base)
    return decide_outcome(state, report.sequence, report.hash, now, held=held)


def build_launch_state(locked: LockedLaunch, base: int | None = None) -> LaunchState:
    head, launch, attempt = locked[:3]
    return LaunchState(
        last_sequence=launch.last_sequence,
        last_hash=launch.last_hash,
        superseded=locked.is_superseded,
        newer_applied=attempt.newest_launch > launch.number,
        seen_at=datetime.fromisoformat(launch.seen_at),
        over=head.status == EnrollmentStatus.EXPIRED,
        outdated=launch_rules.is_outdated(base, launch.number, attempt.late_commits, attempt.late_launch),
        review=launch.review,
    )


def decide_outcome(
    launch: LaunchState, sequence: int, hash: bytes, now: datetime, *, held: bool = False
) -> Outcome:
    """Decides what becomes of a report.

    A report may arrive after the completion, because content sends the status before the answers. A report
    that the browser has `held` may be as late as it likes, because the learner who sends it is signed in.
    """
    if sequence == launch.last_sequence:
        return "REPEATED" if hash == launch.last_hash else "CONFLICTING"
    if sequence < launch.last_sequence:
        return "STALE"
    is_late = not held and launch_rules.is_expired(launch.seen_at, now)
    if launch.review and not is_late:
        return "REVIEW"
    if launch.over or is_late:
        return "EXPIRED"
    if launch.outdated or (launch.superseded and launch.newer_applied):
        return "SUPERSEDED"
    return "APPLIED"


def is_unappliable(outcome: Outcome, *, held: bool) -> bool:
    """Tells whether a report can never be applied.

    A page whose report is EXPIRED holds it and sends it again when the module is opened the next time; only
    that decides.
    """
    return outcome in ("SUPERSEDED", "CLOSED") or (outcome == "EXPIRED" and held)


def compute_done_at(report: Report, now: datetime) -> datetime | None:
    """Returns when the browser says that the work was done, never later than now; None if unknown."""
    return min(_EPOCH + timedelta(milliseconds=report.sent_at), now) if report.sent_at else None


def describe_report(report: Report, outcome: Outcome, *, held: bool) -> dict[str, Any]:
    """Returns what the log says of any report. The body itself is not logged, only its hash."""
    detail: dict[str, Any] = {"sequence": report.sequence, "final": report.final, "outcome": outcome}
    detail["body"] = report.hash.hex()
    if held:
        detail["held"] = True
    if report.left_out:
        detail["left_out"] = report.left_out
    return detail


def describe_state(state: State) -> dict[str, Any]:
    """Returns what the log says of the attempt after a report."""
    return {name: getattr(state, name) for name in ("completion", "success", "score", "progress")}
