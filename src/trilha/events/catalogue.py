"""Every public event, one Struct a type. Payloads are thin: ids, states, times.

No CPF, phone, birth date or CNH is in any of them, not even masked.
"""

from typing import Annotated
from uuid import UUID

from msgspec import Meta

from trilha.core.types import Timestamp
from trilha.events.event import Event as Event
from trilha.events.event import EventName, Percent, Role, TypeName


class UserEvent(Event, frozen=True, kw_only=True):
    user_id: UUID


class UserCreated(UserEvent, frozen=True, kw_only=True):
    """A user was created, by any way in."""

    type = "user.created"
    role: Role
    status: Annotated[str, Meta(examples=["ACTIVE"])]


class UserUpdated(UserEvent, frozen=True, kw_only=True):
    """Members of a user's profile changed; `changed` names them."""

    type = "user.updated"
    changed: Annotated[list[str], Meta(examples=[["department", "job_title"]])]


class UserSuspended(UserEvent, frozen=True, kw_only=True):
    """A user's access was suspended."""

    type = "user.suspended"


class UserReactivated(UserEvent, frozen=True, kw_only=True):
    """A suspended user may sign in again."""

    type = "user.reactivated"


class UserDeleted(UserEvent, frozen=True, kw_only=True):
    """A user's personal data was erased; what they learnt stays on record, nameless."""

    type = "user.deleted"
    awaits = "the admin panel"


class UserRoleChanged(UserEvent, frozen=True, kw_only=True):
    """A user was given another role."""

    type = "user.role_changed"
    awaits = "the admin panel"
    role: Role
    previous_role: Annotated[str, Meta(examples=["gestor"])]


class CourseEvent(Event, frozen=True, kw_only=True):
    course_id: UUID
    slug: Annotated[str, Meta(examples=["direcao-defensiva"])]
    status: Annotated[str, Meta(examples=["PUBLISHED"])]


class CourseCreated(CourseEvent, frozen=True, kw_only=True):
    """A course was created, as a draft."""

    type = "course.created"


class CourseUpdated(CourseEvent, frozen=True, kw_only=True):
    """A course changed, its publication included."""

    type = "course.updated"


class CourseArchived(CourseEvent, frozen=True, kw_only=True):
    """A course was archived: it takes no more enrollments, and those under way go on."""

    type = "course.archived"
    awaits = "the admin panel"


class LearningPathEvent(Event, frozen=True, kw_only=True):
    awaits = "the assignment of learning paths"
    learning_path_id: UUID
    user_id: UUID


class LearningPathAssigned(LearningPathEvent, frozen=True, kw_only=True):
    """A learning path was assigned to a user."""

    type = "learning_path.assigned"


class LearningPathCompleted(LearningPathEvent, frozen=True, kw_only=True):
    """A user completed every course of a learning path."""

    type = "learning_path.completed"
    completed_at: Timestamp


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
    progress_percent: Percent


class EnrollmentCompleted(EnrollmentEvent, frozen=True, kw_only=True):
    """All completion criteria passed."""

    type = "enrollment.completed"
    progress_percent: Annotated[Percent, Meta(examples=[100.0])]
    score: Percent | None
    completed_at: Timestamp


class EnrollmentExpired(EnrollmentEvent, frozen=True, kw_only=True):
    """An enrollment ran out before it was completed."""

    type = "enrollment.expired"
    expires_at: Timestamp


class CertificateEvent(Event, frozen=True, kw_only=True):
    awaits = "the issue of certificates"
    certificate_id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID


class CertificateIssued(CertificateEvent, frozen=True, kw_only=True):
    """A completed enrollment has its certificate; `expires_at` is null where that stays valid."""

    type = "certificate.issued"
    issued_at: Timestamp
    expires_at: Timestamp | None


class CertificateRevoked(CertificateEvent, frozen=True, kw_only=True):
    """A certificate was revoked."""

    type = "certificate.revoked"
    revoked_at: Timestamp


class CertificateExpiring(CertificateEvent, frozen=True, kw_only=True):
    """A certificate is valid for 30 days more."""

    type = "certificate.expiring"
    expires_at: Timestamp


class ModuleEvent(EnrollmentEvent, frozen=True, kw_only=True):
    awaits = "the course player"
    module_id: UUID


class AttemptEvent(ModuleEvent, frozen=True, kw_only=True):
    attempt: Annotated[int, Meta(ge=1, examples=[2])]
    score: Percent | None


class AssessmentAttempted(AttemptEvent, frozen=True, kw_only=True):
    """An attempt at a scored module ended; `score` is null where it brought none."""

    type = "assessment.attempted"


class AssessmentPassed(AttemptEvent, frozen=True, kw_only=True):
    """An attempt at a scored module ended, and it was passed."""

    type = "assessment.passed"


class AssessmentFailed(AttemptEvent, frozen=True, kw_only=True):
    """An attempt at a scored module ended, and it was not passed."""

    type = "assessment.failed"


class VoiceActivityCompleted(ModuleEvent, frozen=True, kw_only=True):
    """A spoken answer was handed in."""

    type = "voice_activity.completed"
    completed_at: Timestamp


class ApiKeyEvent(Event, frozen=True, kw_only=True):
    api_key_id: UUID
    name: Annotated[str, Meta(examples=["ERP"])]
    scopes: Annotated[list[str], Meta(examples=[["users:read"]])]


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


class WebhookEvent(Event, frozen=True, kw_only=True):
    endpoint_id: UUID


class WebhookTest(WebhookEvent, frozen=True, kw_only=True):
    """A test of a webhook endpoint was asked for."""

    type = "webhook.test"


class WebhookActivated(WebhookEvent, frozen=True, kw_only=True):
    """An inactive webhook endpoint was made active."""

    type = "webhook.activated"


class WebhookFailed(WebhookEvent, frozen=True, kw_only=True):
    """A delivery failed for the last time; `http_status` is null where no answer came."""

    type = "webhook.failed"
    delivery_id: UUID
    event_id: EventName
    event_type: TypeName
    attempts: Annotated[int, Meta(ge=1, examples=[7])]
    http_status: Annotated[int | None, Meta(examples=[503])]


# Every Struct above that names a type, in the order they stand in: none can be forgotten.
CATALOGUE: dict[str, type[Event]] = {
    each.type: each
    for each in globals().values()
    if isinstance(each, type) and issubclass(each, Event) and "type" in vars(each)
}
