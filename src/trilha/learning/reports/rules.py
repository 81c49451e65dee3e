"""What becomes of a report. No I/O, no clock."""

from datetime import datetime

from msgspec import Struct

from trilha.learning.launches import rules as launch_rules
from trilha.learning.reports.schema import Outcome


class LaunchState(Struct, frozen=True):
    """A launch, as the rules read it. `newer_applied`: a commit of a later launch of the attempt counts.
    `outdated`: one of an earlier launch has counted since this one was given what it began with. `over`: the
    enrollment has run out."""

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
    """Decides what becomes of a report. Nothing is refused for coming after completion: a status arrives
    before the answers. Work that a browser has `held` may come as late as it likes: whoever sends it is
    signed in."""
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
    """Whether a report will never be applied.

    A page that is told EXPIRED keeps its work and sends it once the module is opened again: only then is it
    decided.
    """
    return outcome in ("SUPERSEDED", "CLOSED") or (outcome == "EXPIRED" and held)
