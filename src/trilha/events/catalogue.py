"""Every public event, one Struct a type. Payloads are thin: ids, states, times.

No CPF, phone, birth date or CNH is in any of them, not even masked.
"""

from typing import ClassVar
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp

VERSION = "2026-11"


class Event(Struct, frozen=True, kw_only=True):
    """The members of an event's `data`. `type` names it in the envelope."""

    type: ClassVar[str]


class UserEvent(Event, frozen=True, kw_only=True):
    user_id: UUID


class UserCreated(UserEvent, frozen=True, kw_only=True):
    """A user was created, by any way in."""

    type = "user.created"
    role: str
    status: str


class UserUpdated(UserEvent, frozen=True, kw_only=True):
    """Members of a user's profile changed; `changed` names them."""

    type = "user.updated"
    changed: list[str]


class UserSuspended(UserEvent, frozen=True, kw_only=True):
    """A user's access was suspended."""

    type = "user.suspended"


class UserReactivated(UserEvent, frozen=True, kw_only=True):
    """A suspended user may sign in again."""

    type = "user.reactivated"


class CourseEvent(Event, frozen=True, kw_only=True):
    course_id: UUID
    slug: str
    status: str


class CourseCreated(CourseEvent, frozen=True, kw_only=True):
    """A course was created, as a draft."""

    type = "course.created"


class CourseUpdated(CourseEvent, frozen=True, kw_only=True):
    """A course changed, its publication included."""

    type = "course.updated"


class EnrollmentEvent(Event, frozen=True, kw_only=True):
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID


class EnrollmentCreated(EnrollmentEvent, frozen=True, kw_only=True):
    """A user was enrolled in a course."""

    type = "enrollment.created"
    expires_at: Timestamp | None


class EnrollmentStarted(EnrollmentEvent, frozen=True, kw_only=True):
    """The first module of an enrollment was launched."""

    type = "enrollment.started"
    started_at: Timestamp


class EnrollmentProgress(EnrollmentEvent, frozen=True, kw_only=True):
    """An enrollment moved on. At most one per 5 points or 60 seconds."""

    type = "enrollment.progress"
    progress_percent: float


class EnrollmentCompleted(EnrollmentEvent, frozen=True, kw_only=True):
    """All completion criteria passed."""

    type = "enrollment.completed"
    progress_percent: float
    score: float | None
    completed_at: Timestamp


class EnrollmentExpired(EnrollmentEvent, frozen=True, kw_only=True):
    """An enrollment ran out before it was completed."""

    type = "enrollment.expired"
    expires_at: Timestamp


class ApiKeyEvent(Event, frozen=True, kw_only=True):
    api_key_id: UUID
    name: str
    scopes: list[str]


class ApiKeyCreated(ApiKeyEvent, frozen=True, kw_only=True):
    """An API key was made."""

    type = "api_key.created"


class ApiKeyRotated(ApiKeyEvent, frozen=True, kw_only=True):
    """An API key has a new secret; the old one works until `previous_expires_at`."""

    type = "api_key.rotated"
    previous_expires_at: Timestamp


class ApiKeyRevoked(ApiKeyEvent, frozen=True, kw_only=True):
    """An API key was revoked."""

    type = "api_key.revoked"


CATALOGUE: dict[str, type[Event]] = {
    event.type: event
    for event in (
        UserCreated,
        UserUpdated,
        UserSuspended,
        UserReactivated,
        CourseCreated,
        CourseUpdated,
        EnrollmentCreated,
        EnrollmentStarted,
        EnrollmentProgress,
        EnrollmentCompleted,
        EnrollmentExpired,
        ApiKeyCreated,
        ApiKeyRotated,
        ApiKeyRevoked,
    )
}
