"""Decides who may be enrolled in which course. No I/O, no clock."""

from collections.abc import Sequence
from datetime import date

from trilha.core.errors import BusinessRule, NotFound, invalid
from trilha.core.types import Timestamp
from trilha.people.users.rules import missing_documents
from trilha.people.users.schema import Profile
from trilha.training.courses.schema import Enrollable


def check(
    user: Profile | None, course: Enrollable | None, expires_at: Timestamp | None, now: Timestamp, today: date
) -> None:
    """Raises NotFound, BusinessRule or Invalid for the first rule that fails, in the order that the API
    documents.
    """
    if user is None:
        raise NotFound("user_not_found")
    if course is None:
        raise NotFound("course_not_found")
    if user.status != "ACTIVE":
        raise BusinessRule("user_not_active")
    if course.status != "PUBLISHED":
        raise BusinessRule("course_not_published")
    required: Sequence[str] = course.required_fields or ()
    if missing := missing_documents(user, required, today):
        raise BusinessRule("regulatory_profile_missing", missing_fields=missing)
    # Both are UTC in the same format, so they compare as text.
    if expires_at is not None and expires_at <= now:
        raise invalid("expires_at", "not_in_future")
