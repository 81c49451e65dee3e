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
# A launch earns no more time than this without a connection.
OFFLINE_LIMIT = timedelta(hours=4)


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


def compute_offline_credit(
    reported: float, known: float, beat_at: datetime, clock: LearnerClock | None, now: datetime
) -> tuple[float, datetime]:
    """Returns the seconds that time without a connection earns, and until when the person's time is credited.

    `reported` is the launch's whole offline time as its browser says, of which the seconds `known` were
    reported before. It earns no more than the time that has passed on the server since the launch's last
    heartbeat, without what the person was credited with since then.
    """
    since = beat_at if clock is None else max(beat_at, clock.credited_until)
    limit = OFFLINE_LIMIT.total_seconds()
    new = min(reported, limit) - min(known, limit)
    seconds = max(0.0, min(new, (now - since).total_seconds()))
    return seconds, since + timedelta(seconds=seconds)


def counts_offline_time(workload_minutes: int) -> bool:
    """Tells whether a course counts study time without a connection.

    A workload that a regulation requires is measured by the server alone: nobody can verify what a browser
    says about its time.
    """
    return workload_minutes == 0


def build_learner(user: User) -> Learner:
    """Returns the learner as SCORM content gets to know the name: "Last, First"."""
    *first, last = user.name.split()
    return Learner(str(user.id), ", ".join(part for part in (last, " ".join(first)) if part))
