"""What an enrollment has reached by now, and its end when nothing is missing."""

from datetime import datetime
from uuid import UUID

from msgspec import structs

from trilha.certificates import actions as certificates
from trilha.certificates.schema import Evidence
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.enrollments import actions as enrollments
from trilha.learning import criteria, log, queries, quiz_queries, rules
from trilha.learning.criteria import Reached
from trilha.learning.schema import Attempt, Head, Overview, Standing
from trilha.users import queries as users

XP_OF_A_MODULE = 10
XP_OF_A_COURSE = 100


async def evaluate(
    tx: Tx, head: Head, launch_id: UUID | None, attempt: Attempt | None = None, reached: Reached | None = None
) -> bool:
    """Whether the enrollment is completed by this. `reached` is what an attempt has come to, where it may
    have changed. `head` is locked by this transaction."""
    if attempt is not None and reached is not None and await queries.raise_reached(tx, attempt, reached):
        await users.add_xp(tx, head.user_id, XP_OF_A_MODULE)
    course = await queries.get_course(tx, head.course_id)
    every = await queries.list_reached(tx, head.enrollment_id)
    if reached is not None:
        head = await _advance(tx, head, course, every)
    if criteria.unmet(course.demands, course.parts, every, head.credited_seconds):
        return False
    return await _complete(tx, head, launch_id)


async def _advance(tx: Tx, head: Head, course: queries.Course, every: dict[UUID, Reached]) -> Head:
    progress = criteria.progress_of(course.parts, every)
    score = criteria.score_of(course.parts, every)
    told_at = datetime.fromisoformat(head.told_at) if head.told_at else None
    tell = rules.is_to_tell(progress, head.told_progress, told_at, tx.now)
    changed = await enrollments.advance(tx, head.enrollment_id, progress, score, tell=tell)
    if changed is None or not tell:
        return head
    head = structs.replace(head, told_progress=progress, told_at=Timestamp.of(tx.now))
    await queries.note_told(tx, head)
    return head


async def reassess(tx: Tx, head: Head) -> bool:
    """Whether the enrollment is completed by a change of its course. `head` is locked by this transaction."""
    course = await queries.get_course(tx, head.course_id)
    every = await queries.list_reached(tx, head.enrollment_id)
    head = await _advance(tx, head, course, every)
    if criteria.unmet(course.demands, course.parts, every, head.credited_seconds):
        return False
    return await _complete(tx, head, None)


async def _complete(tx: Tx, head: Head, launch_id: UUID | None) -> bool:
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


async def standing(tx: Tx, enrollment_id: UUID, course_id: UUID) -> Standing:
    """How far an enrollment is and what is missing, for people to read."""
    head = await queries.find_head(tx, enrollment_id)
    course = await queries.get_course(tx, course_id)
    every = await queries.list_reached(tx, enrollment_id)
    seconds = head.credited_seconds if head else 0.0
    return Standing(
        criteria.progress_of(course.parts, every),
        criteria.score_of(course.parts, every),
        seconds,
        criteria.unmet(course.demands, course.parts, every, seconds),
    )


async def overview(tx: Tx, enrollment_id: UUID, course_id: UUID) -> Overview:
    """All of a course for whoever looks at an enrollment in it."""
    head = await queries.find_head(tx, enrollment_id)
    course = await queries.get_course(tx, course_id)
    modules = await queries.list_overviews(tx, enrollment_id, course_id)
    every = await queries.list_reached(tx, enrollment_id)
    last = await queries.find_last_module(tx, enrollment_id)
    awaiting = await quiz_queries.list_awaiting(tx, enrollment_id)
    return Overview(
        [
            structs.replace(
                each, locked_by=criteria.missing_before(course.demands, course.parts, every, each.id)
            )
            for each in modules
        ],
        criteria.asked(course.demands, course.parts, every, head.credited_seconds if head else 0.0),
        criteria.next_module(course.demands, course.parts, every, last, awaiting),
        awaiting,
    )
