"""What becomes of a commit and of a heartbeat. No I/O, no clock."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.scorm.runtime.mapping import State
from trilha.scorm.runtime.resume import Learner
from trilha.users.schema import User

# A heartbeat comes every 30 seconds; more than this between two is not credited.
LONGEST_GAP = timedelta(seconds=45)
# So long after it was last heard of, a launch still takes what it sends.
LATE = timedelta(minutes=10)
TOLD_POINTS = 5.0
TOLD_EVERY = timedelta(seconds=60)

# APPLIED: it counts. REPEATED: it is the last one once more. STALE: one that came after it was taken
# already. CONFLICTING: another body under the last one's number. SUPERSEDED, EXPIRED: so is the launch.
# CLOSED: the attempt was handed in already. REVIEW: the launch is one in which nothing counts.
Outcome = Literal["APPLIED", "REPEATED", "STALE", "CONFLICTING", "SUPERSEDED", "EXPIRED", "CLOSED", "REVIEW"]
Told = Literal["", "attempted", "passed", "failed"]


class Standing(Struct, frozen=True):
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


def is_outdated(base: int | None, launch_number: int, late_commits: int, late_launch: int) -> bool:
    """Whether what a launch began with, `base` late commits ago, was changed by another one since. What says
    no base makes no claim."""
    return base is not None and late_commits > base and late_launch != launch_number


def outcome_of(launch: Standing, sequence: int, hash: bytes, now: datetime, *, held: bool = False) -> Outcome:
    """Decides what becomes of a report. Nothing is refused for coming after completion: a status arrives
    before the answers. Work that a browser has `held` may come as late as it likes: whoever sends it is
    signed in."""
    if sequence == launch.last_sequence:
        return "REPEATED" if hash == launch.last_hash else "CONFLICTING"
    if sequence < launch.last_sequence:
        return "STALE"
    is_late = not held and is_expired(launch.seen_at, now)
    if launch.review and not is_late:
        return "REVIEW"
    if launch.over or is_late:
        return "EXPIRED"
    if launch.outdated or (launch.superseded and launch.newer_applied):
        return "SUPERSEDED"
    return "APPLIED"


def is_given_up(outcome: Outcome, *, held: bool) -> bool:
    """Whether a report will never be applied.

    A page that is told EXPIRED keeps its work and sends it once the module is opened again: only then is it
    decided.
    """
    return outcome in ("SUPERSEDED", "CLOSED") or (outcome == "EXPIRED" and held)


def is_expired(seen_at: datetime, now: datetime) -> bool:
    return now - seen_at > LATE


class Credited(Struct, frozen=True):
    """By which launch a person's time was last credited, and until when.

    `studied_until`: so far it is spent on what counts of watching and reading.
    """

    launch_id: UUID
    until: datetime
    studied_until: datetime | None = None


def credit(
    launch_id: UUID, beat_at: datetime, holder: Credited | None, now: datetime, *, visible: bool
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


def is_to_tell(progress: float, told: float, told_at: datetime | None, now: datetime) -> bool:
    """Whether enrollment.progress is emitted: once for 5 points or 60 seconds."""
    if progress <= told:
        return False
    return told_at is None or progress - told >= TOLD_POINTS or now - told_at >= TOLD_EVERY


def to_tell(told: Told, state: State, *, final: bool) -> Sequence[Told]:
    """What events tell of an attempt now; the last one is what is told of it from then on.

    An attempt ends when it has an outcome, or is left with a score. One that was failed may still be passed.
    """
    if state.success == "unknown":
        return ["attempted"] if final and state.score is not None and not told else []
    if told in (state.success, "passed"):
        return []
    return [state.success] if told else ["attempted", state.success]


def learner_of(user: User) -> Learner:
    """As content is told: "Last, First"."""
    *first, last = user.name.split()
    return Learner(str(user.id), ", ".join(part for part in (last, " ".join(first)) if part))


# What content is told of the person: it is not kept with what content says.
_OF_THE_PERSON = ("student_id", "student_name", "learner_id", "learner_name")


def kept_cmi(before: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of the elements that content has sent: an element that is not there is as it was."""
    merged = dict(before) | dict(sent)
    if "core" in sent:
        merged["core"] = dict(before.get("core", {})) | dict(sent["core"])
    for group in (merged, merged.get("core", {})):
        for name in _OF_THE_PERSON:
            group.pop(name, None)
    return merged


# What content reads when it goes on.
_READ_AGAIN = ("suspend_data", "location", "lesson_location")


def goes_on_elsewhere(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether content that began with the one would go on differently with the other."""
    return any(_read_again(before)[name] != _read_again(after)[name] for name in _READ_AGAIN)


def _read_again(cmi: Mapping[str, Any]) -> dict[str, str]:
    groups = (cmi, cmi.get("core", {}))
    return {name: next((str(group[name]) for group in groups if group.get(name)), "") for name in _READ_AGAIN}


# Short elements that the log tells as they were sent: what the state was made of.
_LOGGED = (
    *("completion_status", "success_status", "progress_measure", "score", "exit", "session_time"),
    *("location", "lesson_status", "lesson_location"),
)


def logged(cmi: Mapping[str, Any]) -> dict[str, Any]:
    groups = (cmi, cmi.get("core", {}))
    return {name: group[name] for group in groups for name in _LOGGED if group.get(name)}


MOST_SEQUENCING = 262_144


def sequencing_of(said: object) -> str:
    """The runtime's state of the activities, where that is what it can be: it is given back, never read."""
    if not isinstance(said, str) or len(said) > MOST_SEQUENCING or "\0" in said:
        return ""
    whole = said.startswith("{") and said.endswith("}")
    # Halves of characters cannot be stored.
    return said if whole and said.encode(errors="replace").decode() == said else ""
