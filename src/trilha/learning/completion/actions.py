"""What an enrollment has reached by now, and its end when nothing is missing."""

from datetime import datetime
from uuid import UUID

from msgspec import structs

from trilha.certificates import actions as certificates
from trilha.certificates.schema import Evidence
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.enrollments import actions as enrollments
from trilha.learning.completion import queries, rules
from trilha.learning.completion.schema import Course, ModuleProgress
from trilha.learning.evidence import log
from trilha.learning.evidence.schema import LogHead
from trilha.users import queries as users

XP_OF_A_MODULE = 10

XP_OF_A_COURSE = 100


async def evaluate(
    tx: Tx,
    head: LogHead,
    launch_id: UUID | None,
    module_id: UUID | None = None,
    reached: ModuleProgress | None = None,
) -> bool:
    """Whether the enrollment is completed by this. `reached` is what an attempt has come to, where it may
    have changed. `head` is locked by this transaction."""
    if (
        module_id is not None
        and reached is not None
        and await queries.raise_progress(tx, head.enrollment_id, module_id, reached)
    ):
        await users.add_xp(tx, head.user_id, XP_OF_A_MODULE)
    course = await queries.get_course(tx, head.course_id)
    every = await queries.list_progress(tx, head.enrollment_id)
    if reached is not None:
        head = await _advance(tx, head, course, every)
    if rules.list_unmet_criteria(course.demands, course.parts, every, head.credited_seconds):
        return False
    return await _complete(tx, head, launch_id)


async def _advance(tx: Tx, head: LogHead, course: Course, every: dict[UUID, ModuleProgress]) -> LogHead:
    progress = rules.compute_progress(course.parts, every)
    score = rules.compute_score(course.parts, every)
    told_at = datetime.fromisoformat(head.told_at) if head.told_at else None
    tell = rules.should_emit_progress(progress, head.told_progress, told_at, tx.now)
    changed = await enrollments.advance(tx, head.enrollment_id, progress, score, tell=tell)
    if changed is None or not tell:
        return head
    head = structs.replace(head, told_progress=progress, told_at=Timestamp.of(tx.now))
    await queries.set_emitted_progress(tx, head)
    return head


async def reassess(tx: Tx, head: LogHead) -> bool:
    """Whether the enrollment is completed by a change of its course. `head` is locked by this transaction."""
    course = await queries.get_course(tx, head.course_id)
    every = await queries.list_progress(tx, head.enrollment_id)
    head = await _advance(tx, head, course, every)
    if rules.list_unmet_criteria(course.demands, course.parts, every, head.credited_seconds):
        return False
    return await _complete(tx, head, None)


async def _complete(tx: Tx, head: LogHead, launch_id: UUID | None) -> bool:
    completed = await enrollments.complete(tx, head.enrollment_id)
    if completed is None:
        return False
    await users.add_xp(tx, head.user_id, XP_OF_A_COURSE + round(completed.score or 0))
    head = await log.append(
        tx,
        head,
        "completed",
        launch_id,
        progress=completed.progress,
        score=completed.score,
        credited_seconds=head.credited_seconds,
    )
    await certificates.issue(tx, completed, Evidence(head.number, head.hash))
    return True
