from collections.abc import Sequence

from trilha.core.database import Database
from trilha.core.outbound.fetching import Fetcher
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.identity import errors, photo_queries, queries
from trilha.training.identity.jobs import DELETE_OLD_PHOTOS
from trilha.training.identity.matching import FaceMatchers
from trilha.training.identity.personal_data_export import EXPORT


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    return [FaceMatchers(Fetcher(settings.guard))]


FEATURE = Feature(
    name="identity",
    errors=[errors],
    build_dependencies=_build_dependencies,
    build_jobs=lambda _: (DELETE_OLD_PHOTOS,),
    sealed_columns=[photo_queries.SEALED_PHOTOS, photo_queries.SEALED_DESCRIPTORS, queries.SEALED_TOKENS],
    erasures=[queries.erase_person],
    export=EXPORT,
)
