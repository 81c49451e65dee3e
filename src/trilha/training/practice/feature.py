from collections.abc import Sequence

from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.practice import errors, photos, queries
from trilha.training.practice.api import routes
from trilha.training.practice.export import EXPORT
from trilha.training.practice.jobs import SEALED_PHOTOS, RemovePhotos


def _build_jobs(settings: Settings) -> Sequence[Job]:
    return [RemovePhotos(settings.open_files())]


FEATURE = Feature(
    name="practice",
    errors=[errors],
    v1=[routes],
    build_jobs=_build_jobs,
    sealed_files=[SEALED_PHOTOS],
    list_file_prefixes=lambda tenant_id: [photos.build_tenant_prefix(tenant_id)],
    erasures=[queries.erase_person],
    export=EXPORT,
)
