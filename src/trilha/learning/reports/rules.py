"""Decides what becomes of a report. No I/O, no clock."""

from datetime import datetime, timedelta

from msgspec import Struct

from trilha.learning.launches import rules as launch_rules
from trilha.learning.reports.schema import Outcome, Report

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
    """Returns when the work was done by the browser's clock, but never later than now.

    Returns None if the browser does not say.
    """
    return min(_EPOCH + timedelta(milliseconds=report.sent_at), now) if report.sent_at else None
