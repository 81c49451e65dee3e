"""Reassesses running enrollments after their course was changed.

If a removed module was all that a learner was missing, the learner opens nothing anymore, so that no report
would complete the enrollment.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.training.learning.completion import actions
from trilha.training.learning.evidence import queries as evidence_queries

_BATCH = 50
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ChangedCourse(Struct, frozen=True):
    """`after_at` and `after_id` belong to the enrollment that was reassessed last."""

    course_id: UUID
    after_at: datetime | None
    after_id: UUID | None


class RunningEnrollment(Struct, frozen=True):
    id: UUID
    created_at: datetime


async def reassess_next(tx: Tx) -> int:
    """Reassesses a batch of enrollments in the course that has waited longest; returns how many."""
    course = await tx.find(
        ChangedCourse,
        f"""
        SELECT {columns_of(ChangedCourse)} FROM changed_courses WHERE tenant_id = :tenant
        ORDER BY changed_at, course_id LIMIT 1 FOR UPDATE SKIP LOCKED
        """,  # noqa: S608
    )
    if course is None:
        return 0
    running = await _list_running(tx, course)
    for enrollment in running:
        await actions.reassess(tx, await evidence_queries.lock_head(tx, enrollment.id))
    await _save_position(tx, course.course_id, running)
    return max(len(running), 1)


async def _list_running(tx: Tx, course: ChangedCourse) -> list[RunningEnrollment]:
    return await tx.list(
        RunningEnrollment,
        """
        SELECT id, created_at FROM enrollments
        WHERE tenant_id = :tenant AND course_id = :course_id AND status = 'IN_PROGRESS'
          AND (created_at, id) > (:after_at, :after_id)
        ORDER BY created_at, id LIMIT :limit
        """,
        course_id=course.course_id,
        after_at=course.after_at or _EPOCH,
        after_id=course.after_id or UUID(int=0),
        limit=_BATCH,
    )


async def _save_position(tx: Tx, course_id: UUID, batch: Sequence[RunningEnrollment]) -> None:
    if len(batch) < _BATCH:
        sql = "DELETE FROM changed_courses WHERE tenant_id = :tenant AND course_id = :course_id"
        await tx.execute(sql, course_id=course_id)
        return
    await tx.execute(
        """
        UPDATE changed_courses SET after_at = :after_at, after_id = :after_id
        WHERE tenant_id = :tenant AND course_id = :course_id
        """,
        course_id=course_id,
        after_at=batch[-1].created_at,
        after_id=batch[-1].id,
    )
