"""Decides when a course is completed and what is missing. No I/O, no clock.

The rules trust only what the server has measured: time by its own clock, and scores that it has normalized.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import structs

from trilha.training.learning.completion.schema import (
    CourseModule,
    Criterion,
    ModuleProgress,
    Presence,
    Requirements,
)
from trilha.training.scorm.runtime.mapping import State

# The learner's browser reports the score of a package. The score counts once the module was open and visible
# for this share of its length: see docs/decisions/0036-scores-of-packages.md.
SHARE_OF_LENGTH = 0.1
XP_OF_A_MODULE = 10
XP_OF_A_COURSE = 100
EMITTED_POINTS = 5.0
EMITTED_EVERY = timedelta(seconds=60)
_NOTHING = ModuleProgress()
Progress = Mapping[UUID, ModuleProgress]  # by module


def list_criteria(course: Requirements, progress: Progress, credited_seconds: float) -> list[Criterion]:
    """Lists all criteria of a course, met or not. Presence in classes counts as study time."""
    required = [module for module in course.modules if module.required]
    missing = [module.id for module in required if not progress.get(module.id, _NOTHING).completed]
    criteria = [Criterion("modules", len(required), len(required) - len(missing), missing)]
    if course.workload_minutes > 0:
        present = sum(progress.get(each.id, _NOTHING).seconds for each in course.modules if each.attended)
        minutes = int((credited_seconds + present) // 60)
        criteria.append(Criterion("workload", course.workload_minutes, minutes))
    if course.score > 0:
        seconds = list_missing_seconds(course.modules, progress)
        score = compute_score(course.modules, progress)
        criteria.append(Criterion("score", course.score, score, tuple(seconds), sum(seconds.values())))
    if course.identity is not None:
        criteria.append(Criterion("identity", course.identity.required, course.identity.confirmed))
    return criteria


def list_unmet_criteria(course: Requirements, progress: Progress, credited_seconds: float) -> list[Criterion]:
    """Lists the criteria that are missing; the list is empty if the course is completed."""
    criteria = list_criteria(course, progress, credited_seconds)
    return [criterion for criterion in criteria if not criterion.is_met]


def list_missing_seconds(modules: Sequence[CourseModule], progress: Progress) -> dict[UUID, float]:
    """Returns the modules whose score does not count yet, with the seconds that are missing in each."""
    missing = {}
    for module in modules:
        reached = progress.get(module.id, _NOTHING)
        # A module without a length requires no time.
        required = module.duration_minutes * 60 * SHARE_OF_LENGTH if module.claimed else 0.0
        if reached.score is not None and reached.seconds < required:
            missing[module.id] = required - reached.seconds
    return missing


def choose_next_module(
    course: Requirements, progress: Progress, last: UUID | None, awaiting_grade: Collection[UUID] = ()
) -> UUID | None:
    """Chooses the module to continue with; None if the course has no module to open, or waits for
    a class or a practice.

    This is the `last` module that the learner opened, or else the first incomplete one, required modules
    first. A module that awaits a grade is chosen only if no other is incomplete. If all modules are complete
    and the course is not, it is a module that can raise the score or lacks time, or else the last one.
    """
    opened = [module for module in course.modules if not module.attended]
    incomplete = [
        module
        for module in opened
        if not progress.get(module.id, _NOTHING).completed
        and not list_locking_meetings(course, progress, module.id)
    ]
    candidates = [module for module in incomplete if module.id not in awaiting_grade] or incomplete
    for module in candidates:
        if module.id == last and not list_locking_modules(course, progress, module.id):
            return module.id
    for module in [module for module in candidates if module.required] or candidates:
        return module.id
    ids = [module.id for module in opened]
    again = [id for id in ids if needs_better_score(course, progress, id)]
    again += list_missing_seconds(course.modules, progress) if course.score > 0 else ()
    if any(each.attended and not progress.get(each.id, _NOTHING).completed for each in course.modules):
        return next(iter(again), None)
    return next(iter(again), last if last in ids else ids[0] if ids else None)


def list_locking_modules(course: Requirements, progress: Progress, module_id: UUID) -> list[UUID]:
    """Lists the required modules that must be completed before this one may be opened."""
    if not course.sequential:
        return []
    ids = [module.id for module in course.modules]
    earlier = course.modules[: ids.index(module_id)] if module_id in ids else course.modules
    return [
        module.id for module in earlier if module.required and not progress.get(module.id, _NOTHING).completed
    ]


def list_locking_meetings(course: Requirements, progress: Progress, module_id: UUID) -> list[UUID]:
    """Lists the modules that must be completed by presence or practice before this one may be opened."""
    attended = {module.id for module in course.modules if module.attended}
    return [id for id in list_locking_modules(course, progress, module_id) if id in attended]


def needs_better_score(course: Requirements, progress: Progress, module_id: UUID) -> bool:
    """Tells whether the course lacks a score that this module may raise.

    That is so if the module's own score is too low, or if no module has a score.
    """
    score, own = compute_score(course.modules, progress), progress.get(module_id, _NOTHING).score
    if score is None:
        return course.score > 0
    return score < course.score and own is not None and own < course.score


def compute_progress(modules: Sequence[CourseModule], progress: Progress) -> float:
    """Returns the mean progress of the required modules, from 0 to 100, weighted by their length."""
    required = [module for module in modules if module.required]
    values = [progress.get(module.id, _NOTHING).progress for module in required]
    return _compute_mean(list(zip(weigh(required), values, strict=True))) or 0.0


def weigh(modules: Sequence[CourseModule]) -> list[float]:
    """Returns how much each module counts: its minutes. One without minutes counts as the mean of those that
    have some, and all count the same if none has: see docs/decisions/0105-minutes-of-modules.md.
    """
    known = [module.duration_minutes for module in modules if module.duration_minutes]
    usual = sum(known) / len(known) if known else 1.0
    return [module.duration_minutes or usual for module in modules]


def compute_score(modules: Sequence[CourseModule], progress: Progress) -> float | None:
    """Returns the mean of the best scores, from 0 to 100, weighted by the modules' length."""
    scores = ((module, progress.get(module.id, _NOTHING).score) for module in modules)
    return _compute_mean([(module.duration_minutes, score) for module, score in scores if score is not None])


def compute_course_xp(score: float | None) -> int:
    """Returns the points that a completed course with this score earns."""
    return XP_OF_A_COURSE + round(score or 0)


def _compute_mean(weighted: Sequence[tuple[float, float]]) -> float | None:
    if not weighted:
        return None
    total = sum(weight for weight, _ in weighted)
    if total == 0:  # No module has a length, so all count the same.
        return round(sum(value for _, value in weighted) / len(weighted), 2)
    return round(sum(weight * value for weight, value in weighted) / total, 2)


def build_module_progress(state: State) -> ModuleProgress:
    """Returns the progress that an attempt in this state stands for."""
    completed = state.completion == "completed" and state.success != "failed"
    return ModuleProgress(state.progress, state.score, completed)


def raise_progress(before: ModuleProgress, now: ModuleProgress) -> ModuleProgress:
    """Returns the better of each figure; a module that was completed stays completed."""
    scores = [score for score in (before.score, now.score) if score is not None]
    return structs.replace(
        before,
        progress=max(before.progress, now.progress),
        score=max(scores, default=None),
        completed=before.completed or now.completed,
    )


def judge_presence(
    before: ModuleProgress, presences: Sequence[Presence], *, final: bool = False
) -> ModuleProgress:
    """Returns the progress in a module from the presence in its classes, of which the best one counts.

    A correction may lower it. With `final`, it only rises, because the enrollment is completed.
    """
    now = max(
        map(_weigh_presence, presences), key=lambda each: (each.progress, each.seconds), default=_NOTHING
    )
    if not final:
        return structs.replace(now, score=before.score)
    return structs.replace(raise_progress(before, now), seconds=max(before.seconds, now.seconds))


def judge_practice(
    before: ModuleProgress, minutes: int, *, passed: bool, final: bool = False
) -> ModuleProgress:
    """Returns the progress in a practical module: nothing until an assessment is passed, then all of it with
    the module's minutes. With `final`, it only rises.
    """
    now = ModuleProgress(100.0, None, True, minutes * 60.0) if passed else _NOTHING
    if not final:
        return structs.replace(now, score=before.score)
    return structs.replace(raise_progress(before, now), seconds=max(before.seconds, now.seconds))


def _weigh_presence(presence: Presence) -> ModuleProgress:
    """Returns the progress of one class: the share of the presence that the module asks for."""
    has, needs = presence.minutes * 100, presence.length * presence.percent
    completed = 0 < needs <= has
    # Less than 100 until the presence stands, whatever the rounding.
    progress = 100.0 if completed else min(round(100 * has / needs, 2), 99.99) if needs else 0.0
    return ModuleProgress(progress, None, completed, presence.minutes * 60.0)


def choose_best(before: ModuleProgress, states: Sequence[State]) -> ModuleProgress:
    """Returns the best score and completion of a module's attempts. Progress never decreases."""
    best = structs.replace(before, score=None, completed=False)
    for state in states:
        best = raise_progress(best, build_module_progress(state))
    return best


def should_emit_progress(progress: float, emitted: float, emitted_at: datetime | None, now: datetime) -> bool:
    """Tells whether to emit enrollment.progress: at most once for 5 points or 60 seconds."""
    if progress <= emitted:
        return False
    return emitted_at is None or progress - emitted >= EMITTED_POINTS or now - emitted_at >= EMITTED_EVERY
