"""Requests of learners for a new due date after their enrollment has expired."""

from datetime import datetime, time, timedelta
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.core.types import Timestamp
from trilha.platform.audit import queries as audit
from trilha.training.enrollments import actions, extension_queries, learner, validity_queries
from trilha.training.enrollments.schema import Enrollment

DAYS = (7, 15, 30, 60)
_END_OF_DAY = time(23, 59, 59)


async def request(tx: Tx, user_id: UUID, enrollment_id: UUID, message: str | None) -> None:
    """Asks for a new due date. Raises NotFound, BusinessRule (enrollment_not_expired), Conflict
    (extension_already_requested).
    """
    course = await learner.get(tx, user_id, enrollment_id)
    if course.status != "EXPIRED":
        raise BusinessRule("enrollment_not_expired")
    if not await extension_queries.insert(tx, user_id, enrollment_id, (message or "").strip() or None):
        raise Conflict("extension_already_requested")


async def grant(tx: Tx, enrollment_id: UUID, days: int) -> Enrollment:
    """Reopens the enrollment until the end of a day. Raises NotFound, BusinessRule (enrollment_not_expired),
    and what `change_expiry` raises.
    """
    await extension_queries.answer(tx, enrollment_id, granted=True)
    if not await extension_queries.lock_if_expired(tx, enrollment_id):
        raise BusinessRule("enrollment_not_expired")
    zone = await validity_queries.get_zone(tx)
    day = tx.now.astimezone(zone).date() + timedelta(days=days)
    expires_at = Timestamp.of(datetime.combine(day, _END_OF_DAY, zone))
    return await actions.change_expiry(tx, enrollment_id, expires_at)


async def refuse(tx: Tx, enrollment_id: UUID) -> None:
    """Raises NotFound if no request waits."""
    await extension_queries.answer(tx, enrollment_id, granted=False)
    await audit.record(tx, "enrollment.extension_refused", enrollment_id)
