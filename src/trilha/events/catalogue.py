"""Every public event, one Struct a type. Payloads are thin: ids, states, times.

No CPF, phone, birth date or CNH is in any of them, not even masked.
"""

from types import MappingProxyType
from typing import Annotated
from uuid import UUID

from msgspec import Meta

from trilha.core.types import Timestamp
from trilha.events.event import Event as Event
from trilha.events.event import EventName, Percent, Role, TypeName


class UserEvent(Event, frozen=True, kw_only=True):
    target = "user_id"
    user_id: UUID


class UserCreated(UserEvent, frozen=True, kw_only=True):
    """Emitted when a user is created, by any way in."""

    type = "user.created"
    role: Role
    status: Annotated[str, Meta(examples=["ACTIVE"])]


class UserUpdated(UserEvent, frozen=True, kw_only=True):
    """Emitted when members of a user's profile change; `changed` names them, `email` and `status` too."""

    type = "user.updated"
    personal = MappingProxyType({"changed": []})
    changed: Annotated[list[str], Meta(examples=[["department", "job_title"]])]


class UserSuspended(UserEvent, frozen=True, kw_only=True):
    """Emitted when an active user is suspended."""

    type = "user.suspended"


class UserReactivated(UserEvent, frozen=True, kw_only=True):
    """Emitted when a suspended user is reactivated."""

    type = "user.reactivated"


class UserDeleted(UserEvent, frozen=True, kw_only=True):
    """Emitted when a user's personal data is erased; training records stay, without a name."""

    type = "user.deleted"


class UserRoleChanged(UserEvent, frozen=True, kw_only=True):
    """Emitted when a user is given another role."""

    type = "user.role_changed"
    role: Role
    previous_role: Annotated[str, Meta(examples=["gestor"])]


class CourseEvent(Event, frozen=True, kw_only=True):
    target = "course_id"
    target_name = "slug"
    course_id: UUID
    slug: Annotated[str, Meta(examples=["direcao-defensiva"])]
    status: Annotated[str, Meta(examples=["PUBLISHED"])]


class CourseCreated(CourseEvent, frozen=True, kw_only=True):
    """Emitted when a course is created, as a draft."""

    type = "course.created"


class CourseUpdated(CourseEvent, frozen=True, kw_only=True):
    """Emitted when a course is published or restored, or when it or one of its modules changes."""

    type = "course.updated"


class CourseArchived(CourseEvent, frozen=True, kw_only=True):
    """Emitted when a course is archived: it takes no more enrollments, and those under way go on."""

    type = "course.archived"


class LearningPathEvent(Event, frozen=True, kw_only=True):
    target = "learning_path_id"
    learning_path_id: UUID
    user_id: UUID


class LearningPathAssigned(LearningPathEvent, frozen=True, kw_only=True):
    """Emitted when a learning path is assigned to a user."""

    type = "learning_path.assigned"


class LearningPathCompleted(LearningPathEvent, frozen=True, kw_only=True):
    """Emitted when a user completes the last course of a learning path."""

    type = "learning_path.completed"
    audited = False
    completed_at: Timestamp


class EnrollmentEvent(Event, frozen=True, kw_only=True):
    target = "enrollment_id"
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID


class EnrollmentCreated(EnrollmentEvent, frozen=True, kw_only=True):
    """Emitted when a user is enrolled in a course, singly or in bulk."""

    type = "enrollment.created"
    expires_at: Timestamp | None


class EnrollmentStarted(EnrollmentEvent, frozen=True, kw_only=True):
    """Emitted when the first module of an enrollment is launched."""

    type = "enrollment.started"
    audited = False
    started_at: Timestamp


class EnrollmentProgress(EnrollmentEvent, frozen=True, kw_only=True):
    """Emitted when the progress of an enrollment grows, at most once per 5 points or 60 seconds."""

    type = "enrollment.progress"
    audited = False
    progress_percent: Percent


class EnrollmentCompleted(EnrollmentEvent, frozen=True, kw_only=True):
    """Emitted when the last completion criterion of an enrollment is met."""

    type = "enrollment.completed"
    audited = False
    progress_percent: Annotated[Percent, Meta(examples=[100.0])]
    score: Percent | None
    completed_at: Timestamp


class EnrollmentExpired(EnrollmentEvent, frozen=True, kw_only=True):
    """Emitted when `expires_at` passes before an enrollment is completed, within a minute."""

    type = "enrollment.expired"
    audited = False
    expires_at: Timestamp


class EnrollmentUpdated(EnrollmentEvent, frozen=True, kw_only=True):
    """Emitted when the expiry of an enrollment is changed; one that had expired may be open again by that."""

    type = "enrollment.updated"
    status: Annotated[str, Meta(examples=["IN_PROGRESS"])]
    expires_at: Timestamp | None


class EnrollmentCancelled(EnrollmentEvent, frozen=True, kw_only=True):
    """Emitted when an enrollment is cancelled; what was learnt in it stays on record."""

    type = "enrollment.cancelled"
    cancelled_at: Timestamp


class CertificateEvent(Event, frozen=True, kw_only=True):
    target = "certificate_id"
    certificate_id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID


class CertificateIssued(CertificateEvent, frozen=True, kw_only=True):
    """Emitted when a completed enrollment gets a certificate; `expires_at` is null where that stays valid."""

    type = "certificate.issued"
    audited = False
    issued_at: Timestamp
    expires_at: Timestamp | None


class CertificateRevoked(CertificateEvent, frozen=True, kw_only=True):
    """Emitted when a certificate is revoked."""

    type = "certificate.revoked"
    revoked_at: Timestamp


class CertificateExpiring(CertificateEvent, frozen=True, kw_only=True):
    """Emitted 30 days before a certificate expires."""

    type = "certificate.expiring"
    audited = False
    expires_at: Timestamp


class ModuleEvent(EnrollmentEvent, frozen=True, kw_only=True):
    module_id: UUID


class AttemptEvent(ModuleEvent, frozen=True, kw_only=True):
    attempt: Annotated[int, Meta(ge=1, examples=[2])]
    score: Percent | None


class AssessmentAttempted(AttemptEvent, frozen=True, kw_only=True):
    """Emitted when an attempt at a scored module ends; `score` is null where it brought none."""

    type = "assessment.attempted"
    audited = False


class AssessmentPassed(AttemptEvent, frozen=True, kw_only=True):
    """Emitted when an attempt at a scored module ends and the module is passed."""

    type = "assessment.passed"
    audited = False


class AssessmentFailed(AttemptEvent, frozen=True, kw_only=True):
    """Emitted when an attempt at a scored module ends and the module is not passed."""

    type = "assessment.failed"
    audited = False


class VoiceActivityCompleted(ModuleEvent, frozen=True, kw_only=True):
    """Emitted when a spoken answer is handed in."""

    type = "voice_activity.completed"
    audited = False
    completed_at: Timestamp


class ApiKeyEvent(Event, frozen=True, kw_only=True):
    target = "api_key_id"
    target_name = "name"
    api_key_id: UUID
    name: Annotated[str, Meta(examples=["ERP"])]
    scopes: Annotated[list[str], Meta(examples=[["users:read"]])]


class ApiKeyCreated(ApiKeyEvent, frozen=True, kw_only=True):
    """Emitted when an API key is created."""

    type = "api_key.created"


class ApiKeyRotated(ApiKeyEvent, frozen=True, kw_only=True):
    """Emitted when an API key is rotated; the replaced secret works until `previous_expires_at`."""

    type = "api_key.rotated"
    previous_expires_at: Timestamp


class ApiKeyRevoked(ApiKeyEvent, frozen=True, kw_only=True):
    """Emitted when an API key is revoked."""

    type = "api_key.revoked"


class WebhookEvent(Event, frozen=True, kw_only=True):
    target = "endpoint_id"
    endpoint_id: UUID


class WebhookTest(WebhookEvent, frozen=True, kw_only=True):
    """Emitted when a test of a webhook endpoint is asked for, and sent to that endpoint alone."""

    type = "webhook.test"


class WebhookActivated(WebhookEvent, frozen=True, kw_only=True):
    """Emitted when an inactive webhook endpoint is made active."""

    type = "webhook.activated"
    audited = False


class WebhookFailed(WebhookEvent, frozen=True, kw_only=True):
    """Emitted when a delivery becomes a dead letter; never sent to the endpoint that failed.

    `http_status` is the last attempt's, null where no answer came. `attempts` is 0 where the endpoint was
    inactive for so long that nothing was tried.
    """

    type = "webhook.failed"
    audited = False
    delivery_id: UUID
    event_id: EventName
    event_type: TypeName
    attempts: Annotated[int, Meta(ge=0, examples=[7])]
    http_status: Annotated[int | None, Meta(examples=[503])]


# Every Struct above that names a type, in the order they stand in: none can be forgotten.
CATALOGUE: dict[str, type[Event]] = {
    each.type: each
    for each in globals().values()
    if isinstance(each, type) and issubclass(each, Event) and "type" in vars(each)
}
