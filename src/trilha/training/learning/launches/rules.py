"""Decides how long a launch lives and what time it earns. No I/O, no clock."""

from datetime import datetime, timedelta
from uuid import UUID

from trilha.people.users.schema import User
from trilha.training.learning.launches.schema import LearnerClock
from trilha.training.scorm.runtime.resume import Learner

# The player sends a heartbeat every 30 seconds; a longer gap than this earns no more.
LONGEST_GAP = timedelta(seconds=45)
# A launch expires when it has been silent for this long.
SILENCE_LIMIT = timedelta(minutes=10)


def is_outdated(base: int | None, launch_number: int, late_commits: int, late_launch: int) -> bool:
    """Tells whether another launch has changed the attempt since this launch loaded it.

    `base` is the attempt's `late_commits` at that time. A page that sends no base is never outdated.
    """
    return base is not None and late_commits > base and late_launch != launch_number


def is_expired(seen_at: datetime, now: datetime) -> bool:
    return now - seen_at > SILENCE_LIMIT


def compute_credit(
    launch_id: UUID, beat_at: datetime, clock: LearnerClock | None, now: datetime, *, visible: bool
) -> float:
    """Returns the seconds that a heartbeat earns.

    `visible`: the page was visible ever since the last heartbeat, at `beat_at`. Only one launch of a person
    earns at a time; another one takes over once it has been silent.
    """
    if not visible:
        return 0.0
    gap = min(now - beat_at, LONGEST_GAP)
    if clock is not None:
        since = now - clock.credited_until
        if clock.launch_id != launch_id and since < LONGEST_GAP:
            return 0.0
        gap = min(gap, since)
    return max(0.0, gap.total_seconds())


def build_learner(user: User) -> Learner:
    """Returns the learner as SCORM content gets to know the name: "Last, First"."""
    *first, last = user.name.split()
    return Learner(str(user.id), ", ".join(part for part in (last, " ".join(first)) if part))
