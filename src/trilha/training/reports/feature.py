from collections.abc import Sequence

from trilha.core.database import Database
from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.reports import erasure, mails
from trilha.training.reports.api import routes
from trilha.training.reports.evidence.printing import EvidencePapers
from trilha.training.reports.exports import errors as export_errors
from trilha.training.reports.exports import files as export_files
from trilha.training.reports.exports import surface
from trilha.training.reports.exports.api import routes as export_routes
from trilha.training.reports.exports.jobs import SEALED_EXPORTS
from trilha.training.reports.exports.jobs import jobs as export_jobs
from trilha.training.reports.exports.links import ExportLinks
from trilha.training.reports.exports.streaming import CsvFiles
from trilha.training.reports.jobs import JOBS


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    links = ExportLinks(settings.address, database.keyring)
    return [EvidencePapers(settings.scratch), CsvFiles(database), links]


def _build_jobs(settings: Settings) -> Sequence[Job]:
    exporting = export_jobs(settings.open_files(), settings.scratch)
    return [*JOBS, mails.job(settings.address), *exporting]


FEATURE = Feature(
    name="reports",
    errors=[export_errors],
    v1=[routes, export_routes],
    build_surfaces=lambda _: [surface.SURFACE],
    build_dependencies=_build_dependencies,
    build_jobs=_build_jobs,
    sealed_files=[SEALED_EXPORTS],
    list_file_prefixes=lambda tenant_id: [export_files.of_tenant(tenant_id)],
    erasures=[erasure.erase_person],
)
