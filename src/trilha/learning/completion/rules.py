"""When a course is completed, and what is missing. No I/O, no clock.

All of it is decided by what the server has measured: time by its own clock, scores that it has normalised.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from trilha.learning.completion.schema import CourseModule, Criterion, ModuleProgress, Requirements
from trilha.scorm.runtime.mapping import State

# A package's score is what the learner's browser says. It counts from when the module was open and seen for
# this share of its length: see docs/decisions/0036-scores-of-packages.md.
SHARE_OF_LENGTH = 0.1

_NOTHING = ModuleProgress()


def list_criteria(
    demands: Requirements,
    parts: Sequence[CourseModule],
    reached: Mapping[UUID, ModuleProgress],
    credited_seconds: float,
) -> list[Criterion]:
    """All that a course asks for, met or not. `parts` are all its modules, in order."""
    required = [part for part in parts if part.required]
    missing = [part.id for part in required if not reached.get(part.id, _NOTHING).met]
    found = [Criterion("modules", len(required), len(required) - len(missing), missing)]
    if demands.workload_minutes > 0:
        found.append(Criterion("workload", demands.workload_minutes, int(credited_seconds // 60)))
    if demands.score > 0:
        left = list_missing_seconds(parts, reached)
        score = compute_score(parts, reached)
        found.append(Criterion("score", demands.score, score, tuple(left), sum(left.values())))
    return found


def list_missing_seconds(
    parts: Sequence[CourseModule], reached: Mapping[UUID, ModuleProgress]
) -> dict[UUID, float]:
    """The modules whose score does not count yet, with the seconds that are missing in each."""
    left = {}
    for part in parts:
        found = reached.get(part.id, _NOTHING)
        if found.score is not None and found.seconds < get_required_seconds(part):
            left[part.id] = get_required_seconds(part) - found.seconds
    return left


def get_required_seconds(part: CourseModule) -> float:
    """In a module before its score counts; a module without a length asks for nothing."""
    return part.duration_minutes * 60 * SHARE_OF_LENGTH if part.claimed else 0.0


def list_unmet_criteria(
    demands: Requirements,
    parts: Sequence[CourseModule],
    reached: Mapping[UUID, ModuleProgress],
    credited_seconds: float,
) -> list[Criterion]:
    """Empty where the course is completed."""
    return [each for each in list_criteria(demands, parts, reached, credited_seconds) if not each.met]


def choose_next_module(
    demands: Requirements,
    parts: Sequence[CourseModule],
    reached: Mapping[UUID, ModuleProgress],
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
        if part.id == last and not list_locking_modules(demands, parts, reached, part.id):
            return part.id
    for part in [each for each in left if each.required] or left:
        return part.id
    known = {part.id for part in parts}
    again = [part.id for part in parts if needs_better_score(demands, parts, reached, part.id)]
    again += list_missing_seconds(parts, reached) if demands.score > 0 else ()
    return next(iter(again), last if last in known else parts[0].id if parts else None)


def list_locking_modules(
    demands: Requirements,
    parts: Sequence[CourseModule],
    reached: Mapping[UUID, ModuleProgress],
    module_id: UUID,
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


def needs_better_score(
    demands: Requirements,
    parts: Sequence[CourseModule],
    reached: Mapping[UUID, ModuleProgress],
    module_id: UUID,
) -> bool:
    """Whether the course lacks a score that this module may raise: its own is too low, or none is scored."""
    score, own = compute_score(parts, reached), reached.get(module_id, _NOTHING).score
    if score is None:
        return demands.score > 0
    return score < demands.score and own is not None and own < demands.score


def compute_progress(parts: Sequence[CourseModule], reached: Mapping[UUID, ModuleProgress]) -> float:
    """0 to 100: the share of the required modules' progress, weighted by their length."""
    required = [part for part in parts if part.required]
    return (
        _compute_mean([(_weight(part), reached.get(part.id, _NOTHING).progress) for part in required]) or 0.0
    )


def compute_score(parts: Sequence[CourseModule], reached: Mapping[UUID, ModuleProgress]) -> float | None:
    """0 to 100: the mean of the best scores of the modules that are scored, weighted likewise."""
    scores = ((part, reached.get(part.id, _NOTHING).score) for part in parts)
    return _compute_mean([(_weight(part), score) for part, score in scores if score is not None])


def _weight(part: CourseModule) -> int:
    return part.duration_minutes


def _compute_mean(weighted: Sequence[tuple[int, float]]) -> float | None:
    if not weighted:
        return None
    total = sum(weight for weight, _ in weighted)
    if total == 0:  # none has a length: each counts the same
        return round(sum(value for _, value in weighted) / len(weighted), 2)
    return round(sum(weight * value for weight, value in weighted) / total, 2)


EMITTED_POINTS = 5.0

EMITTED_EVERY = timedelta(seconds=60)


def should_emit_progress(progress: float, told: float, told_at: datetime | None, now: datetime) -> bool:
    """Whether enrollment.progress is emitted: once for 5 points or 60 seconds."""
    if progress <= told:
        return False
    return told_at is None or progress - told >= EMITTED_POINTS or now - told_at >= EMITTED_EVERY


def build_module_progress(state: State) -> ModuleProgress:
    met = state.completion == "completed" and state.success != "failed"
    return ModuleProgress(state.progress, state.score, met)
