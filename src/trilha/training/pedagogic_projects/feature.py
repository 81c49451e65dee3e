from collections.abc import Sequence

from trilha.core.database import Database
from trilha.core.resealing.files import SealedKind
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.certificates.pdf.press import Press
from trilha.training.certificates.pdf.previewing import PREVIEW_LIMITS
from trilha.training.pedagogic_projects import errors, files
from trilha.training.pedagogic_projects.actions import ProjectPress

SEALED_PROJECTS = SealedKind(
    name="pedagogic projects",
    select="""
        SELECT id, file_key FROM pedagogic_project_versions
        WHERE tenant_id = :tenant AND id > :after ORDER BY id LIMIT :limit FOR NO KEY UPDATE
    """,
    key=lambda _, row: str(row["file_key"]),
)


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    press = Press(settings.scratch, size=1, limits=PREVIEW_LIMITS, per_tenant=1)
    return [ProjectPress(settings.open_files(), database.keyring, press)]


FEATURE = Feature(
    name="pedagogic_projects",
    errors=[errors],
    build_dependencies=_build_dependencies,
    sealed_files=[SEALED_PROJECTS],
    list_file_prefixes=lambda tenant_id: [files.of_tenant(tenant_id)],
)
