"""Records what a learner reaches, and completes the enrollment once nothing is missing.

The caller's transaction must hold the lock of the log's head. Each function returns whether it has completed
the enrollment.
"""

from datetime import datetime
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.people.users import queries as users
from trilha.training.certificates import actions as certificates
from trilha.training.certificates.schema import Evidence
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.completion import queries, rules
from trilha.training.learning.completion.rules import XP_OF_A_MODULE
from trilha.training.learning.completion.schema import CourseProgress, ModuleEnd, ModuleProgress
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.study_days import actions as study_days
from trilha.training.scorm.runtime.mapping import State


async def record_progress(
    tx: Tx, head: LogHead, launch_id: UUID | None, module_id: UUID, state: State
) -> bool:
    """Records the state of an attempt at a module where it is better than what was reached before."""
    progress = await queries.get_course_progress(tx, head.enrollment_id, head.course_id)
    before = progress.modules.get(module_id)
    if before is not None:
        after = rules.raise_progress(before, rules.build_module_progress(state))
        progress.modules[module_id] = after
        if after.completed and not before.completed:
            await _complete_module(tx, head, launch_id, module_id, progress)
        elif after != before:
            await queries.set_module_progress(tx, head.enrollment_id, module_id, after)
    head = await _advance(tx, head, progress)
    return await _complete_if_met(tx, head, launch_id, progress)


async def _complete_module(
    tx: Tx, head: LogHead, launch_id: UUID | None, module_id: UUID, progress: CourseProgress
) -> None:
    """Stores that the module is completed, with what its end shows: the course's progress and the points."""
    if (
        launch_id is not None
    ):  # A grade completes a module on a day on which the learner may not have studied.
        await study_days.count_completion(tx, head.user_id)
    percent = max(progress.percent, rules.compute_progress(progress.course.modules, progress.modules))
    xp = await users.add_xp(tx, head.user_id, XP_OF_A_MODULE)
    end = ModuleEnd(percent, xp)
    await queries.set_module_progress(tx, head.enrollment_id, module_id, progress.modules[module_id], end)


async def correct_progress(tx: Tx, head: LogHead, module_id: UUID, state: State) -> bool:
    """Records a corrected attempt at a module, whose state may be worse than before.

    While the enrollment is in progress, the score and the completion of the module become those of its best
    attempt. A completed enrollment never leaves its completion, so that nothing it has reached is taken away.
    """
    progress = await queries.get_course_progress(tx, head.enrollment_id, head.course_id)
    before = progress.modules.get(module_id)
    if before is None or head.status == EnrollmentStatus.COMPLETED:
        return await record_progress(tx, head, None, module_id, state)
    states = await queries.list_attempt_states(tx, head.enrollment_id, module_id)
    after = rules.choose_best(before, states)
    progress.modules[module_id] = after
    if after.completed and not before.completed:
        await _complete_module(tx, head, None, module_id, progress)
    elif after != before:
        await queries.set_module_progress(tx, head.enrollment_id, module_id, after)
        if before.completed and not after.completed:
            await users.add_xp(tx, head.user_id, -XP_OF_A_MODULE)
    head = await _advance(tx, head, progress)
    return await _complete_if_met(tx, head, None, progress)


async def reassess(tx: Tx, head: LogHead) -> bool:
    """Recomputes an enrollment's progress from its modules, as is needed after its course, its presence in
    classes or its practice was changed.
    """
    progress = await queries.get_course_progress(tx, head.enrollment_id, head.course_id)
    await _judge_presence(tx, head, progress)
    head = await _advance(tx, head, progress)
    return await _complete_if_met(tx, head, None, progress)


async def _judge_presence(tx: Tx, head: LogHead, progress: CourseProgress) -> None:
    """Stores the presence in classes and the results of practice. The first one starts the enrollment."""
    attended = [module for module in progress.course.modules if module.attended]
    presences = await queries.list_presences(tx, head.enrollment_id, head.course_id) if attended else []
    results = {}
    if any(module.assessed for module in attended):
        practice = await queries.list_practice_results(tx, head.enrollment_id, head.course_id)
        results = {each.module_id: each.passed for each in practice}
    if results or any(each.minutes for each in presences):
        await enrollments.start(tx, head.enrollment_id)
    final = head.status == EnrollmentStatus.COMPLETED
    for module in attended:
        before = progress.modules.get(module.id)
        own = [each for each in presences if each.module_id == module.id]
        if module.assessed:
            passed = results.get(module.id, False)
            minutes = module.duration_minutes
            after = rules.judge_practice(before or ModuleProgress(), minutes, passed=passed, final=final)
        else:
            after = rules.judge_presence(before or ModuleProgress(), own, final=final)
        if after != (before or ModuleProgress()):
            if before is None:
                await queries.start_module(tx, head.enrollment_id, module.id)
            progress.modules[module.id] = after
            await _store_presence(tx, head, module.id, before or ModuleProgress(), progress)


async def _store_presence(
    tx: Tx, head: LogHead, module_id: UUID, before: ModuleProgress, progress: CourseProgress
) -> None:
    after = progress.modules[module_id]
    if after.completed and not before.completed:
        await _complete_module(tx, head, None, module_id, progress)
    else:
        await queries.set_module_progress(tx, head.enrollment_id, module_id, after)
        if before.completed and not after.completed:
            await users.add_xp(tx, head.user_id, -XP_OF_A_MODULE)
    await queries.set_module_seconds(tx, head.enrollment_id, module_id, after.seconds)


async def complete_if_met(tx: Tx, head: LogHead, launch_id: UUID) -> bool:
    """Completes the enrollment if nothing is missing; its progress has not changed."""
    progress = await queries.get_course_progress(tx, head.enrollment_id, head.course_id)
    return await _complete_if_met(tx, head, launch_id, progress)


async def _advance(tx: Tx, head: LogHead, progress: CourseProgress) -> LogHead:
    percent = rules.compute_progress(progress.course.modules, progress.modules)
    score = rules.compute_score(progress.course.modules, progress.modules)
    if percent <= progress.percent and score in (None, progress.score):
        return head
    emitted_at = datetime.fromisoformat(head.emitted_at) if head.emitted_at else None
    emits = rules.should_emit_progress(percent, head.emitted_progress, emitted_at, tx.now)
    enrollment = await enrollments.advance(tx, head.enrollment_id, percent, score, tell=emits)
    if enrollment is None or not emits:
        return head
    head = structs.replace(head, emitted_progress=percent, emitted_at=Timestamp.of(tx.now))
    await queries.set_emitted_progress(tx, head)
    return head


async def _complete_if_met(tx: Tx, head: LogHead, launch_id: UUID | None, progress: CourseProgress) -> bool:
    if rules.list_unmet_criteria(progress.course, progress.modules, head.credited_seconds):
        return False
    enrollment = await enrollments.complete(tx, head.enrollment_id)
    if enrollment is None:
        return False
    xp = await users.add_xp(tx, head.user_id, rules.compute_course_xp(enrollment.score))
    await queries.set_xp_after_course(tx, head, xp)
    head = await log.append(
        tx,
        head,
        "completed",
        launch_id,
        progress=enrollment.progress,
        score=enrollment.score,
        credited_seconds=head.credited_seconds,
    )
    await certificates.issue(tx, enrollment, Evidence(head.number, head.hash))
    return True
