from collections.abc import Sequence

from trilha.core.database import Database
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.classes import errors
from trilha.training.classes.api import routes
from trilha.training.classes.attendance import CheckInAddress
from trilha.training.classes.attendance_lists import scans
from trilha.training.classes.attendance_lists.paper.printing import AttendancePapers
from trilha.training.classes.erasure import erase_person
from trilha.training.classes.jobs import JUDGE_PRESENCE, build_invitations_job
from trilha.training.classes.personal_data_export import EXPORT


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    return [CheckInAddress(f"{settings.address}/learn/check-in"), AttendancePapers(settings.scratch)]


FEATURE = Feature(
    name="classes",
    errors=[errors],
    v1=[routes],
    build_dependencies=_build_dependencies,
    build_jobs=lambda settings: (JUDGE_PRESENCE, build_invitations_job(settings.address)),
    erasures=[erase_person],
    export=EXPORT,
    sealed_files=[scans.SEALED_SCANS],
    list_file_prefixes=lambda tenant_id: [scans.of_tenant(tenant_id)],
)
