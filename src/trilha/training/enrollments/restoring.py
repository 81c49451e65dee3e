"""Gives enrollments back what a change has taken: due date, status, and existence."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import asyncpg
from msgspec import Struct

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.errors import Conflict
from trilha.platform.events.catalogue import EnrollmentUpdated
from trilha.platform.events.outbox import emit
from trilha.training.enrollments import counters, queries
from trilha.training.enrollments.counters import CountedEnrollment
from trilha.training.enrollments.schema import Enrollment


class Terms(Struct, frozen=True):
    """What a change of the due date or a cancellation changes, as it is stored. Times are JSON text."""

    status: str
    expires_at: str | None
    cancelled_at: str | None
    current: bool | None


async def read_terms(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, Terms]:
    """Returns the terms of enrollments, also of cancelled ones, and locks them in one order."""
    rows = await tx.rows(
        f"""
        SELECT id, {columns_of(Terms)} FROM all_enrollments
        WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR UPDATE
        """,  # noqa: S608
        ids=enrollment_ids,
    )
    return {row["id"]: terms for row, terms in zip(rows, structs_of(Terms, rows), strict=True)}


async def restore_terms(tx: Tx, enrollment_id: UUID, terms: Terms) -> None:
    """Gives an enrollment that is not cancelled its earlier due date and status. Raises Conflict
    (already_enrolled) if the person has another current enrollment in the course meanwhile.
    """
    values = "expires_at = :expires_at, status = :status, current = :current"
    params: dict[str, Any] = {
        "enrollment_id": enrollment_id,
        "expires_at": terms.expires_at,
        "status": terms.status,
        "current": terms.current,
    }
    try:
        async with tx.savepoint():
            updated = await queries.change(tx, values, "id = :enrollment_id FOR UPDATE", **params)
    except asyncpg.UniqueViolationError:
        raise Conflict("already_enrolled") from None
    for enrollment in updated:
        await _emit_updated(tx, enrollment)


async def restore_cancelled(tx: Tx, enrollment_id: UUID, terms: Terms) -> None:
    """Ends the cancellation of an enrollment. Raises Conflict (already_enrolled) if the person was enrolled
    again meanwhile.
    """
    try:
        async with tx.savepoint():
            rows = await tx.rows(
                f"""
                UPDATE all_enrollments AS e SET cancelled_at = NULL, current = :current, updated_at = :now
                WHERE e.tenant_id = :tenant AND e.id = :enrollment_id AND e.cancelled_at IS NOT NULL
                RETURNING {columns_of(Enrollment, "e")}
                """,  # noqa: S608
                enrollment_id=enrollment_id,
                current=terms.current,
            )
    except asyncpg.UniqueViolationError:
        raise Conflict("already_enrolled") from None
    for enrollment in structs_of(Enrollment, rows, "e"):
        counted = CountedEnrollment(
            enrollment.course_id,
            enrollment.status,
            enrollment.progress,
            enrollment.score,
            enrollment.expires_at,
        )
        await counters.put_back(tx, [counted])
        await _emit_updated(tx, enrollment)


async def _emit_updated(tx: Tx, enrollment: Enrollment) -> None:
    event = EnrollmentUpdated(
        enrollment_id=enrollment.id,
        user_id=enrollment.user_id,
        course_id=enrollment.course_id,
        status=enrollment.status,
        expires_at=enrollment.expires_at,
    )
    await emit(tx, event)


async def read_current(tx: Tx, course_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """Returns the current enrollments of people in a course by their user, and locks them in one order."""
    rows = await tx.rows(
        """
        SELECT user_id, id FROM enrollments
        WHERE tenant_id = :tenant AND course_id = :course_id AND user_id = ANY(:user_ids) AND current
        ORDER BY user_id FOR UPDATE
        """,
        course_id=course_id,
        user_ids=user_ids,
    )
    return {row["user_id"]: row["id"] for row in rows}


async def make_current(tx: Tx, enrollment_id: UUID) -> None:
    """Makes a completed enrollment current again whose successor was cancelled."""
    await tx.execute(
        """
        UPDATE all_enrollments SET current = true
        WHERE tenant_id = :tenant AND id = :enrollment_id AND status = 'COMPLETED' AND cancelled_at IS NULL
        """,
        enrollment_id=enrollment_id,
    )
