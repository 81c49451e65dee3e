"""/api/users/me/data-export"""

from functools import partial

from msgspec import Struct

from trilha.access.permissions.viewer import SIGNED_IN, viewer_of
from trilha.access.sessions.api import PublicAddress
from trilha.core.database import Database
from trilha.core.types import Timestamp
from trilha.core.web.answers import Stream
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Routes
from trilha.feature import ExportReader
from trilha.people.personal_data.actions import PersonalData
from trilha.people.users.schema import User
from trilha.training.certificates.schema import HeldCertificate
from trilha.training.enrollments.personal_data_export import Progress
from trilha.training.enrollments.schema import EnrollmentRecord
from trilha.training.learning.transcripts import Transcript
from trilha.training.learning_paths.personal_data_export import FollowedPath

routes = Routes("My data", "The personal data of the person who is signed in.")


class DataExport(Struct, frozen=True):
    """Everything that is stored about a person."""

    exported_at: Timestamp
    profile: User
    enrollments: list[EnrollmentRecord]
    progress: list[Progress]
    certificates: list[HeldCertificate]
    transcripts: list[Transcript]
    learning_paths: list[FollowedPath]


@routes.get("/users/me/data-export", access=SIGNED_IN)
async def export_my_data(
    caller: Caller, database: Database, address: PublicAddress, personal_data: PersonalData
) -> Stream[DataExport]:
    """Download your personal data: profile, enrollments, progress, certificates, transcripts and paths."""
    reading = partial(database.transaction, caller.tenant_id, read_only=True)
    reader = ExportReader(reading, address, database.keyring)
    pieces = await personal_data.export(reader, viewer_of(caller).user_id)
    disposition = 'attachment; filename="trilha-data.json"'
    return Stream(pieces, "application/json", headers={"content-disposition": disposition})
