"""Records what a learner reaches, and completes the enrollment once nothing is missing.

The caller's transaction must hold the lock of the log's head. Each function returns whether it has completed
the enrollment.
"""

from datetime import datetime
from uuid import UUID

from msgspec import structs

from trilha.certificates import actions as certificates
from trilha.certificates.schema import Evidence
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.enrollments import actions as enrollments
from trilha.learning.completion import queries, rules
from trilha.learning.completion.rules import Progress
from trilha.learning.completion.schema import Requirements
from trilha.learning.evidence import log
from trilha.learning.evidence.schema import LogHead
from trilha.scorm.runtime.mapping import State
from trilha.users import queries as users

XP_OF_A_MODULE = 10
XP_OF_A_COURSE = 100


async def record_progress(
    tx: Tx, head: LogHead, launch_id: UUID | None, module_id: UUID, state: State
) -> bool:
    """Records the state of an attempt at a module where it is better than what was reached before."""
    progress = rules.build_module_progress(state)
    if await queries.raise_progress(tx, head.enrollment_id, module_id, progress):
        await users.add_xp(tx, head.user_id, XP_OF_A_MODULE)
    return await reassess(tx, head, launch_id)


async def reassess(tx: Tx, head: LogHead, launch_id: UUID | None = None) -> bool:
    """Recomputes an enrollment's progress from its modules, as is needed after its course was changed."""
    course = await queries.get_requirements(tx, head.course_id)
    progress = await queries.list_progress(tx, head.enrollment_id)
    head = await _advance(tx, head, course, progress)
    return await _complete_if_met(tx, head, launch_id, course, progress)


async def complete_if_met(tx: Tx, head: LogHead, launch_id: UUID) -> bool:
    """Completes the enrollment if nothing is missing; its progress has not changed."""
    course = await queries.get_requirements(tx, head.course_id)
    progress = await queries.list_progress(tx, head.enrollment_id)
    return await _complete_if_met(tx, head, launch_id, course, progress)


async def _advance(tx: Tx, head: LogHead, course: Requirements, progress: Progress) -> LogHead:
    percent = rules.compute_progress(course.modules, progress)
    score = rules.compute_score(course.modules, progress)
    emitted_at = datetime.fromisoformat(head.emitted_at) if head.emitted_at else None
    emits = rules.should_emit_progress(percent, head.emitted_progress, emitted_at, tx.now)
    enrollment = await enrollments.advance(tx, head.enrollment_id, percent, score, tell=emits)
    if enrollment is None or not emits:
        return head
    head = structs.replace(head, emitted_progress=percent, emitted_at=Timestamp.of(tx.now))
    await queries.set_emitted_progress(tx, head)
    return head


async def _complete_if_met(
    tx: Tx, head: LogHead, launch_id: UUID | None, course: Requirements, progress: Progress
) -> bool:
    if rules.list_unmet_criteria(course, progress, head.credited_seconds):
        return False
    enrollment = await enrollments.complete(tx, head.enrollment_id)
    if enrollment is None:
        return False
    await users.add_xp(tx, head.user_id, XP_OF_A_COURSE + round(enrollment.score or 0))
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
