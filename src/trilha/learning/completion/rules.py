"""When a course is completed, and what is missing. No I/O, no clock.

All of it is decided by what the server has measured: time by its own clock, scores that it has normalised.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from trilha.learning.completion.schema import Criterion, Demands, Part, Reached
from trilha.scorm.runtime.mapping import State

# A package's score is what the learner's browser says. It counts from when the module was open and seen for
# this share of its length: see docs/decisions/0036-scores-of-packages.md.
SHARE_OF_LENGTH = 0.1

_NOTHING = Reached()


def asked(
    demands: Demands, parts: Sequence[Part], reached: Mapping[UUID, Reached], credited_seconds: float
) -> list[Criterion]:
    """All that a course asks for, met or not. `parts` are all its modules, in order."""
    required = [part for part in parts if part.required]
    missing = [part.id for part in required if not reached.get(part.id, _NOTHING).met]
    found = [Criterion("modules", len(required), len(required) - len(missing), missing)]
    if demands.workload_minutes > 0:
        found.append(Criterion("workload", demands.workload_minutes, int(credited_seconds // 60)))
    if demands.score > 0:
        left = waiting(parts, reached)
        score = score_of(parts, reached)
        found.append(Criterion("score", demands.score, score, tuple(left), sum(left.values())))
    return found


def waiting(parts: Sequence[Part], reached: Mapping[UUID, Reached]) -> dict[UUID, float]:
    """The modules whose score does not count yet, with the seconds that are missing in each."""
    left = {}
    for part in parts:
        found = reached.get(part.id, _NOTHING)
        if found.score is not None and found.seconds < seconds_needed(part):
            left[part.id] = seconds_needed(part) - found.seconds
    return left


def seconds_needed(part: Part) -> float:
    """In a module before its score counts; a module without a length asks for nothing."""
    return part.duration_minutes * 60 * SHARE_OF_LENGTH if part.claimed else 0.0


def unmet(
    demands: Demands, parts: Sequence[Part], reached: Mapping[UUID, Reached], credited_seconds: float
) -> list[Criterion]:
    """Empty where the course is completed."""
    return [each for each in asked(demands, parts, reached, credited_seconds) if not each.met]


def next_module(
    demands: Demands,
    parts: Sequence[Part],
    reached: Mapping[UUID, Reached],
    last: UUID | None,
    awaiting: Collection[UUID] = (),
) -> UUID | None:
    """What to go on with: where one was, else the first that is not done, required ones before others.

    One of `awaiting` is somebody else's turn: it is only named where nothing else is left. When all are done
    and the course is not, the one that was open last. None where there is no module.
    """
    undone = [part for part in parts if not reached.get(part.id, _NOTHING).met]
    left = [part for part in undone if part.id not in awaiting] or undone
    for part in left:
        if part.id == last and not missing_before(demands, parts, reached, part.id):
            return part.id
    for part in [each for each in left if each.required] or left:
        return part.id
    known = {part.id for part in parts}
    again = [part.id for part in parts if needs_better(demands, parts, reached, part.id)]
    again += waiting(parts, reached) if demands.score > 0 else ()
    return next(iter(again), last if last in known else parts[0].id if parts else None)


def missing_before(
    demands: Demands, parts: Sequence[Part], reached: Mapping[UUID, Reached], module_id: UUID
) -> list[UUID]:
    """The required modules that must be met before this one may be opened."""
    if not demands.sequential:
        return []
    missing = []
    for part in parts:
        if part.id == module_id:
            break
        if part.required and not reached.get(part.id, _NOTHING).met:
            missing.append(part.id)
    return missing


def needs_better(
    demands: Demands, parts: Sequence[Part], reached: Mapping[UUID, Reached], module_id: UUID
) -> bool:
    """Whether the course lacks a score that this module may raise: its own is too low, or none is scored."""
    score, own = score_of(parts, reached), reached.get(module_id, _NOTHING).score
    if score is None:
        return demands.score > 0
    return score < demands.score and own is not None and own < demands.score


def progress_of(parts: Sequence[Part], reached: Mapping[UUID, Reached]) -> float:
    """0 to 100: the share of the required modules' progress, weighted by their length."""
    required = [part for part in parts if part.required]
    return _mean([(_weight(part), reached.get(part.id, _NOTHING).progress) for part in required]) or 0.0


def score_of(parts: Sequence[Part], reached: Mapping[UUID, Reached]) -> float | None:
    """0 to 100: the mean of the best scores of the modules that are scored, weighted likewise."""
    scores = ((part, reached.get(part.id, _NOTHING).score) for part in parts)
    return _mean([(_weight(part), score) for part, score in scores if score is not None])


def _weight(part: Part) -> int:
    return part.duration_minutes


def _mean(weighted: Sequence[tuple[int, float]]) -> float | None:
    if not weighted:
        return None
    total = sum(weight for weight, _ in weighted)
    if total == 0:  # none has a length: each counts the same
        return round(sum(value for _, value in weighted) / len(weighted), 2)
    return round(sum(weight * value for weight, value in weighted) / total, 2)


TOLD_POINTS = 5.0

TOLD_EVERY = timedelta(seconds=60)


def is_to_tell(progress: float, told: float, told_at: datetime | None, now: datetime) -> bool:
    """Whether enrollment.progress is emitted: once for 5 points or 60 seconds."""
    if progress <= told:
        return False
    return told_at is None or progress - told >= TOLD_POINTS or now - told_at >= TOLD_EVERY


def reached(state: State) -> Reached:
    met = state.completion == "completed" and state.success != "failed"
    return Reached(state.progress, state.score, met)
