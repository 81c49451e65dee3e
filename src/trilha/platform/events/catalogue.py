"""The catalog of public events: one Struct for each type. Payloads are thin and hold ids, statuses and times.

No payload holds a CPF, telephone number, date of birth or driving license, not even masked.
"""

from types import MappingProxyType
from typing import Annotated
from uuid import UUID

from msgspec import Meta

from trilha.core.types import Timestamp
from trilha.platform.events.event import Event as Event
from trilha.platform.events.event import EventName, Percent, Role, TypeName


class UserEvent(Event, frozen=True, kw_only=True):
    target = "user_id"
    user_id: UUID


class UserCreated(UserEvent, frozen=True, kw_only=True):
    """Sent when a user is created: in the panel, through the API, by an import or by provisioning."""

    type = "user.created"
    role: Role
    status: Annotated[str, Meta(examples=["ACTIVE"])]


class UserUpdated(UserEvent, frozen=True, kw_only=True):
    """Sent when a user's profile changes. `changed` lists the changed fields, including `email` and
    `status`.
    """

    type = "user.updated"
    personal = MappingProxyType({"changed": []})
    changed: Annotated[list[str], Meta(examples=[["department", "job_title"]])]


class UserSuspended(UserEvent, frozen=True, kw_only=True):
    """Sent when an active user is suspended."""

    type = "user.suspended"


class UserReactivated(UserEvent, frozen=True, kw_only=True):
    """Sent when a suspended user is reactivated."""

    type = "user.reactivated"


class UserDeleted(UserEvent, frozen=True, kw_only=True):
    """Sent when a user's personal data is erased. Training records are kept without a name."""

    type = "user.deleted"


class UserRoleChanged(UserEvent, frozen=True, kw_only=True):
    """Sent when a user's role changes."""

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
    """Sent when a course is created. New courses are drafts."""

    type = "course.created"


class CourseUpdated(CourseEvent, frozen=True, kw_only=True):
    """Sent when a course is published or restored, or when the course or one of its modules changes."""

    type = "course.updated"


class CourseArchived(CourseEvent, frozen=True, kw_only=True):
    """Sent when a course is archived. It accepts no new enrollments; open enrollments continue."""

    type = "course.archived"


class CourseRated(Event, frozen=True, kw_only=True):
    """Sent when at least five more people's evaluations of a course are published. `rating_count` is how many
    there are, and `nps` the net promoter score from -100 to 100. It names no person and no enrollment: the
    answers are anonymous.
    """

    type = "course.rated"
    target = "course_id"
    audited = False
    course_id: UUID
    rating_count: Annotated[int, Meta(examples=[25])]
    nps: Annotated[int, Meta(ge=-100, le=100, examples=[52])]


class LearningPathEvent(Event, frozen=True, kw_only=True):
    target = "learning_path_id"
    learning_path_id: UUID
    user_id: UUID


class LearningPathAssigned(LearningPathEvent, frozen=True, kw_only=True):
    """Sent when a learning path is assigned to a user."""

    type = "learning_path.assigned"


class LearningPathCompleted(LearningPathEvent, frozen=True, kw_only=True):
    """Sent when a user completes the last course of a learning path."""

    type = "learning_path.completed"
    audited = False
    completed_at: Timestamp


class EnrollmentEvent(Event, frozen=True, kw_only=True):
    target = "enrollment_id"
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID


class EnrollmentCreated(EnrollmentEvent, frozen=True, kw_only=True):
    """Sent when a user is enrolled in a course, individually or in bulk."""

    type = "enrollment.created"
    expires_at: Timestamp | None


class EnrollmentStarted(EnrollmentEvent, frozen=True, kw_only=True):
    """Sent when the first module of an enrollment is launched."""

    type = "enrollment.started"
    audited = False
    started_at: Timestamp


class EnrollmentProgress(EnrollmentEvent, frozen=True, kw_only=True):
    """Sent when the progress of an enrollment increases: at most once per 5 points or 60 seconds."""

    type = "enrollment.progress"
    audited = False
    progress_percent: Percent


class EnrollmentCompleted(EnrollmentEvent, frozen=True, kw_only=True):
    """Sent when an enrollment meets the last of its completion criteria."""

    type = "enrollment.completed"
    audited = False
    progress_percent: Annotated[Percent, Meta(examples=[100.0])]
    score: Percent | None
    completed_at: Timestamp


class EnrollmentExpired(EnrollmentEvent, frozen=True, kw_only=True):
    """Sent within a minute after an enrollment passes its `expires_at` without being completed."""

    type = "enrollment.expired"
    audited = False
    expires_at: Timestamp


class EnrollmentUpdated(EnrollmentEvent, frozen=True, kw_only=True):
    """Sent when the due date of an enrollment changes. A later date can reopen an expired enrollment."""

    type = "enrollment.updated"
    status: Annotated[str, Meta(examples=["IN_PROGRESS"])]
    expires_at: Timestamp | None


class EnrollmentCancelled(EnrollmentEvent, frozen=True, kw_only=True):
    """Sent when an enrollment is cancelled. Its learning records are kept."""

    type = "enrollment.cancelled"
    cancelled_at: Timestamp


class EnrollmentRequested(Event, frozen=True, kw_only=True):
    """Sent when a person asks to be enrolled in a course of the catalog, once for each request. `status` is
    `WAITING`, or `APPROVED` if the course is open to everyone; `enrollment.created` is then sent too.
    """

    type = "enrollment.requested"
    target = "request_id"
    audited = False
    request_id: UUID
    user_id: UUID
    course_id: UUID
    status: Annotated[str, Meta(examples=["WAITING"])]


class ClassEvent(Event, frozen=True, kw_only=True):
    target = "class_id"
    class_id: UUID
    course_id: UUID


class ClassCreated(ClassEvent, frozen=True, kw_only=True):
    """Sent when a class of a course is created."""

    type = "class.created"


class ClassUpdated(ClassEvent, frozen=True, kw_only=True):
    """Sent when a class changes, or one of its sessions is added, changed or cancelled."""

    type = "class.updated"


class ClassCancelled(ClassEvent, frozen=True, kw_only=True):
    """Sent when a class is cancelled with all its sessions. People stay registered."""

    type = "class.cancelled"


class RegistrationEvent(Event, frozen=True, kw_only=True):
    target = "registration_id"
    registration_id: UUID
    class_id: UUID
    user_id: UUID
    course_id: UUID
    status: Annotated[str, Meta(examples=["REGISTERED"])]


class RegistrationCreated(RegistrationEvent, frozen=True, kw_only=True):
    """Sent when a person gets a place in a class, also from its waiting list."""

    type = "registration.created"


class RegistrationWaitlisted(RegistrationEvent, frozen=True, kw_only=True):
    """Sent when a person is put on the waiting list of a full class."""

    type = "registration.waitlisted"
    status: Annotated[str, Meta(examples=["WAITLISTED"])]


class RegistrationCancelled(RegistrationEvent, frozen=True, kw_only=True):
    """Sent when a registration is cancelled, from a place or from the waiting list."""

    type = "registration.cancelled"
    status: Annotated[str, Meta(examples=["CANCELLED"])]


class AttendanceRecorded(Event, frozen=True, kw_only=True):
    """Sent when the minutes that a person was in a session are recorded or corrected."""

    type = "attendance.recorded"
    target = "session_id"
    audited = False
    session_id: UUID
    class_id: UUID
    user_id: UUID
    minutes: Annotated[int, Meta(ge=0, examples=[240])]


class PracticeAssessed(Event, frozen=True, kw_only=True):
    """Sent when an assessment of practice is final: an unsatisfactory one once its assessor signs, and a
    satisfactory one when the learner has signed, too.
    """

    type = "practice.assessed"
    target = "assessment_id"
    assessment_id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    module_id: UUID
    result: Annotated[str, Meta(examples=["SATISFACTORY"])]


class RequirementEvent(Event, frozen=True, kw_only=True):
    """Either `course_id` or `learning_path_id` is set: what the requirement asks for."""

    target = "requirement_id"
    audited = False
    requirement_id: UUID
    user_id: UUID
    course_id: UUID | None
    learning_path_id: UUID | None


class RequirementAssigned(RequirementEvent, frozen=True, kw_only=True):
    """Sent when a requirement starts to apply to a person, even if they meet it already."""

    type = "requirement.assigned"


class RequirementSatisfied(RequirementEvent, frozen=True, kw_only=True):
    """Sent when a person meets a requirement: once for each completion that does."""

    type = "requirement.satisfied"


class RequirementOverdue(RequirementEvent, frozen=True, kw_only=True):
    """Sent when a due date passes without the person meeting the requirement, once for each due date."""

    type = "requirement.overdue"


class RequirementReleased(RequirementEvent, frozen=True, kw_only=True):
    """Sent when a requirement stops applying to a person."""

    type = "requirement.released"


class ReminderSent(Event, frozen=True, kw_only=True):
    """Sent when a person, `user_id`, is reminded of an enrollment, once for each kind and channel."""

    type = "reminder.sent"
    target = "enrollment_id"
    audited = False
    user_id: UUID
    enrollment_id: UUID
    kind: Annotated[str, Meta(examples=["due_7"])]
    channel: Annotated[str, Meta(examples=["mail"])]


class CertificateEvent(Event, frozen=True, kw_only=True):
    target = "certificate_id"
    certificate_id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID


class CertificateIssued(CertificateEvent, frozen=True, kw_only=True):
    """Sent when a certificate is issued for a completed enrollment. `expires_at` is null if the
    certificate never expires.
    """

    type = "certificate.issued"
    audited = False
    issued_at: Timestamp
    expires_at: Timestamp | None


class CertificateRevoked(CertificateEvent, frozen=True, kw_only=True):
    """Sent when a certificate is revoked."""

    type = "certificate.revoked"
    revoked_at: Timestamp


class CertificateExpiring(CertificateEvent, frozen=True, kw_only=True):
    """Sent 30 days before a certificate expires."""

    type = "certificate.expiring"
    audited = False
    expires_at: Timestamp


class ModuleEvent(EnrollmentEvent, frozen=True, kw_only=True):
    module_id: UUID


class AttemptEvent(ModuleEvent, frozen=True, kw_only=True):
    attempt: Annotated[int, Meta(ge=1, examples=[2])]
    score: Percent | None


class AssessmentAttempted(AttemptEvent, frozen=True, kw_only=True):
    """Sent when an attempt at a scored module ends. `score` is null if the attempt has no score."""

    type = "assessment.attempted"
    audited = False


class AssessmentPassed(AttemptEvent, frozen=True, kw_only=True):
    """Sent when an attempt at a scored module ends with a passing result."""

    type = "assessment.passed"
    audited = False


class AssessmentFailed(AttemptEvent, frozen=True, kw_only=True):
    """Sent when an attempt at a scored module ends without a passing result."""

    type = "assessment.failed"
    audited = False


class VoiceActivityCompleted(ModuleEvent, frozen=True, kw_only=True):
    """Sent when a learner submits a voice answer."""

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
    """Sent when an API key is created."""

    type = "api_key.created"


class ApiKeyRotated(ApiKeyEvent, frozen=True, kw_only=True):
    """Sent when an API key is rotated. The previous secret works until `previous_expires_at`."""

    type = "api_key.rotated"
    previous_expires_at: Timestamp


class ApiKeyRevoked(ApiKeyEvent, frozen=True, kw_only=True):
    """Sent when an API key is revoked."""

    type = "api_key.revoked"


class WebhookEvent(Event, frozen=True, kw_only=True):
    target = "endpoint_id"
    endpoint_id: UUID


class WebhookTest(WebhookEvent, frozen=True, kw_only=True):
    """Sent to a webhook endpoint when a test of it is requested. Other endpoints do not receive it."""

    type = "webhook.test"


class WebhookActivated(WebhookEvent, frozen=True, kw_only=True):
    """Sent when an inactive webhook endpoint is activated."""

    type = "webhook.activated"
    audited = False


class WebhookFailed(WebhookEvent, frozen=True, kw_only=True):
    """Sent when a delivery fails permanently. The endpoint that failed does not receive it.

    `http_status` is the status of the last attempt, or null if there was no response. `attempts` is 0 if
    the endpoint was inactive for so long that no attempt was made.
    """

    type = "webhook.failed"
    audited = False
    delivery_id: UUID
    event_id: EventName
    event_type: TypeName
    attempts: Annotated[int, Meta(ge=0, examples=[7])]
    http_status: Annotated[int | None, Meta(examples=[503])]


class XapiPipePaused(Event, frozen=True, kw_only=True):
    """Sent when a pipe that forwards xAPI statements is paused because it has failed for three days.
    `http_status` is the status of the last attempt, or null if there was no response.
    """

    type = "xapi_pipe.paused"
    target = "pipe_id"
    target_name = "name"
    pipe_id: UUID
    name: Annotated[str, Meta(examples=["Corporate LRS"])]
    failures: Annotated[int, Meta(ge=1, examples=[18])]
    http_status: Annotated[int | None, Meta(examples=[503])]


# all Structs above that have a type, in their order
CATALOGUE: dict[str, type[Event]] = {
    each.type: each
    for each in globals().values()
    if isinstance(each, type) and issubclass(each, Event) and "type" in vars(each)
}
