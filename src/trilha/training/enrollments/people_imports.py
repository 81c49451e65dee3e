"""Enrolls the people of an import in a course."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.people.people_import.enrolling import Enroller, EnrollProblem, Outcome, Target
from trilha.training.courses import queries as courses
from trilha.training.enrollments import actions
from trilha.training.enrollments.schema import NewEnrollment


async def _check(tx: Tx, course_id: UUID) -> None:
    """Raises NotFound, and BusinessRule (course_not_published)."""
    if (await courses.get(tx, course_id)).status != "PUBLISHED":
        raise BusinessRule("course_not_published")


async def _enroll(tx: Tx, target: Target, user_ids: Sequence[UUID]) -> Outcome:
    items = [
        NewEnrollment(user_id=user_id, course_id=target.id, expires_at=target.due_at) for user_id in user_ids
    ]
    result = await actions.enroll_many(tx, items)
    problems = [EnrollProblem(each.user_id, each.code, each.message) for each in result.errors]
    return Outcome(result.created, result.skipped, problems)


IN_COURSE = Enroller(_check, _enroll)
