"""Who may be enrolled in what. No I/O, no clock."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from trilha.core.types import Timestamp
from trilha.courses.schema import Enrollable
from trilha.users.rules import missing_documents
from trilha.users.schema import Profile


class Refusal(Exception):
    """Why an enrollment is refused. `code` is one of core.errors, `detail` its context."""

    def __init__(self, code: str, **detail: Any) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


def check(
    user: Profile | None, course: Enrollable | None, expires_at: Timestamp | None, now: Timestamp, today: date
) -> None:
    """Raises Refusal for the first rule that fails, in the contract's order."""
    if user is None:
        raise Refusal("user_not_found")
    if course is None:
        raise Refusal("course_not_found")
    if user.status != "ACTIVE":
        raise Refusal("user_not_active")
    if course.status != "PUBLISHED":
        raise Refusal("course_not_published")
    required: Sequence[str] = course.required_fields or ()
    if missing := missing_documents(user, required, today):
        raise Refusal("regulatory_profile_missing", missing_fields=missing)
    # Both are wire text of one form, which sorts as time does.
    if expires_at is not None and expires_at <= now:
        raise Refusal("not_in_future")
