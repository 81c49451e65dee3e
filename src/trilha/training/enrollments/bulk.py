"""Enrolls many people in one course, in transactions of a bounded size."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import structs

from trilha.core.credentials import Actor
from trilha.core.database import Database
from trilha.core.types import Timestamp
from trilha.training.enrollments import actions
from trilha.training.enrollments.schema import BULK_LIMIT, BulkResult, NewEnrollment

# The maximum number of people; a larger company enrolls by units.
MAX_PEOPLE = 10_000


async def enroll_people(
    database: Database,
    tenant_id: UUID,
    actor: Actor,
    user_ids: Sequence[UUID],
    course_id: UUID,
    expires_at: Timestamp | None,
) -> BulkResult:
    """Enrolls each person as `enroll` would. Batches that were committed remain if a later one fails; running
    it again skips the people who are already enrolled.
    """
    whole = BulkResult(0, 0, 0, [])
    for start in range(0, len(user_ids), BULK_LIMIT):
        items = [
            NewEnrollment(user_id=user_id, course_id=course_id, expires_at=expires_at)
            for user_id in user_ids[start : start + BULK_LIMIT]
        ]
        async with database.transaction(tenant_id, actor=actor) as tx:
            part = await actions.enroll_many(tx, items)
        whole = _together(whole, part, start)
    return whole


def _together(whole: BulkResult, part: BulkResult, start: int) -> BulkResult:
    errors = [structs.replace(each, index=each.index + start) for each in part.errors]
    return BulkResult(
        whole.created + part.created,
        whole.skipped + part.skipped,
        whole.failed + part.failed,
        [*whole.errors, *errors],
    )
