"""How long a launch lives and what time it earns. No I/O, no clock."""

from datetime import datetime, timedelta
from uuid import UUID

from trilha.learning.launches.schema import LearnerClock
from trilha.scorm.runtime.resume import Learner
from trilha.users.schema import User

# A heartbeat comes every 30 seconds; more than this between two is not credited.
LONGEST_GAP = timedelta(seconds=45)

# So long after it was last heard of, a launch still takes what it sends.
SILENCE_LIMIT = timedelta(minutes=10)


def is_outdated(base: int | None, launch_number: int, late_commits: int, late_launch: int) -> bool:
    """Whether what a launch began with, `base` late commits ago, was changed by another one since. What says
    no base makes no claim."""
    return base is not None and late_commits > base and late_launch != launch_number


def is_expired(seen_at: datetime, now: datetime) -> bool:
    return now - seen_at > SILENCE_LIMIT


def compute_credit(
    launch_id: UUID, beat_at: datetime, holder: LearnerClock | None, now: datetime, *, visible: bool
) -> float:
    """Seconds that a heartbeat earns. `visible`: the page was seen ever since the last one, at `beat_at`.

    One launch of a person earns at a time; another takes over when that one has been silent.
    """
    if not visible:
        return 0.0
    gap = min(now - beat_at, LONGEST_GAP)
    if holder is not None:
        since = now - holder.until
        if holder.launch_id != launch_id and since < LONGEST_GAP:
            return 0.0
        gap = min(gap, since)
    return max(0.0, gap.total_seconds())


def build_learner(user: User) -> Learner:
    """As content is told: "Last, First"."""
    *first, last = user.name.split()
    return Learner(str(user.id), ", ".join(part for part in (last, " ".join(first)) if part))


def parse_moment(at: str) -> datetime:
    return datetime.fromisoformat(at)
