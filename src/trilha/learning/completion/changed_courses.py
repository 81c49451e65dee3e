"""Courses that were changed while people take them: how far each of these is now.

A module that is removed may have been all that was missing to somebody, who opens nothing any more.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.learning.completion import actions
from trilha.learning.evidence import queries as evidence_queries

_BATCH = 50

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


class ChangedCourse(Struct, frozen=True):
    """`after_at` and `after_id` are of the enrollment that was looked at last."""

    course_id: UUID
    after_at: datetime | None
    after_id: UUID | None


class RunningEnrollment(Struct, frozen=True):
    id: UUID
    created_at: datetime


async def reassess_next(tx: Tx) -> int:
    """At some enrollments of the course that has waited longest; how many."""
    changed = await tx.find(
        ChangedCourse,
        f"""
        SELECT {columns_of(ChangedCourse)} FROM changed_courses WHERE tenant_id = :tenant
        ORDER BY changed_at, course_id LIMIT 1 FOR UPDATE SKIP LOCKED
        """,  # noqa: S608
    )
    if changed is None:
        return 0
    running = await _list_running_enrollments(tx, changed)
    for each in running:
        await actions.reassess(tx, await evidence_queries.lock_head(tx, each.id))
    await _save_position(tx, changed.course_id, running)
    return max(len(running), 1)


async def _list_running_enrollments(tx: Tx, changed: ChangedCourse) -> list[RunningEnrollment]:
    return await tx.list(
        RunningEnrollment,
        """
        SELECT id, created_at FROM enrollments
        WHERE tenant_id = :tenant AND course_id = :course_id AND status = 'IN_PROGRESS'
          AND (created_at, id) > (:after_at, :after_id)
        ORDER BY created_at, id LIMIT :most
        """,
        course_id=changed.course_id,
        after_at=changed.after_at or _FIRST,
        after_id=changed.after_id or UUID(int=0),
        most=_BATCH,
    )


async def _save_position(tx: Tx, course_id: UUID, done: Sequence[RunningEnrollment]) -> None:
    if len(done) < _BATCH:
        sql = "DELETE FROM changed_courses WHERE tenant_id = :tenant AND course_id = :course_id"
        await tx.execute(sql, course_id=course_id)
        return
    await tx.execute(
        """
        UPDATE changed_courses SET after_at = :after_at, after_id = :after_id
        WHERE tenant_id = :tenant AND course_id = :course_id
        """,
        course_id=course_id,
        after_at=done[-1].created_at,
        after_id=done[-1].id,
    )
