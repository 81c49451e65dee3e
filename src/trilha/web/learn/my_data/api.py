"""/api/users/me/data-export"""

from functools import partial

from msgspec import Struct

from trilha.access.permissions.viewer import OWN_SIGN_IN, viewer_of
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.passkeys.schema import ExportedPasskey
from trilha.core.database import Database
from trilha.core.types import Timestamp
from trilha.core.web.answers import Stream
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Routes
from trilha.feature import ExportReader
from trilha.people.personal_data.actions import PersonalData
from trilha.people.users.personal_data_export import CustomFieldValue
from trilha.people.users.schema import User
from trilha.platform.saved_views.schema import ExportedView
from trilha.training.calendar_feeds.personal_data_export import CalendarFeed
from trilha.training.certificates.schema import HeldCertificate
from trilha.training.classes.schema import (
    ExportedAttendance,
    ExportedRegistration,
    ExportedScan,
    TaughtSession,
)
from trilha.training.courses.lessons.personal_data_export import WrittenLesson
from trilha.training.enrollment_requests.schema import EnrollmentRequest
from trilha.training.enrollments.personal_data_export import Progress
from trilha.training.enrollments.schema import EnrollmentRecord
from trilha.training.evaluations.schema import ExportedEvaluation
from trilha.training.external_certificates.queries import UploadedCertificate
from trilha.training.identity.schema import ExportedCheck, ExportedConsent
from trilha.training.learner_questions.schema import OwnQuestion
from trilha.training.learning.transcripts import Transcript
from trilha.training.learning_paths.personal_data_export import FollowedPath
from trilha.training.practice.schema import ExportedAssessment
from trilha.training.qualifications.schema import ExportedQualification
from trilha.training.reminders.personal_data_export import SentToPerson
from trilha.training.requirements.personal_data_export import HeldRequirement
from trilha.training.signatures.schema import ExportedSignature
from trilha.training.xapi.people import ExportedStatement

routes = Routes("My data", "The personal data of the person who is signed in.")


class DataExport(Struct, frozen=True):
    """Everything that is stored about a person."""

    exported_at: Timestamp
    profile: User
    custom_fields: list[CustomFieldValue]
    lessons: list[WrittenLesson]
    enrollments: list[EnrollmentRecord]
    progress: list[Progress]
    enrollment_requests: list[EnrollmentRequest]
    reminders: list[SentToPerson]
    certificates: list[HeldCertificate]
    transcripts: list[Transcript]
    signatures: list[ExportedSignature]
    class_registrations: list[ExportedRegistration]
    class_attendance: list[ExportedAttendance]
    attendance_scans: list[ExportedScan]
    taught_sessions: list[TaughtSession]
    practice_assessments: list[ExportedAssessment]
    qualifications: list[ExportedQualification]
    identity_consents: list[ExportedConsent]
    identity_checks: list[ExportedCheck]
    learning_paths: list[FollowedPath]
    requirements: list[HeldRequirement]
    external_certificates: list[UploadedCertificate]
    learner_questions: list[OwnQuestion]
    evaluations: list[ExportedEvaluation]
    calendar_feeds: list[CalendarFeed]
    saved_views: list[ExportedView]
    passkeys: list[ExportedPasskey]
    statements: list[ExportedStatement]


@routes.get("/users/me/data-export", access=OWN_SIGN_IN)
async def export_my_data(
    caller: Caller, database: Database, address: PublicAddress, personal_data: PersonalData
) -> Stream[DataExport]:
    """Download your personal data: profile, training, requirements and reminders."""
    reading = partial(database.transaction, caller.tenant_id, read_only=True)
    reader = ExportReader(reading, address, database.keyring)
    pieces = await personal_data.export(reader, viewer_of(caller).user_id)
    disposition = 'attachment; filename="trilha-data.json"'
    return Stream(pieces, "application/json", headers={"content-disposition": disposition})
