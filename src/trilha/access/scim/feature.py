from collections.abc import Sequence

from trilha.access.scim import erasure
from trilha.access.scim.answers import PREFIX, BaseAddress
from trilha.access.scim.jobs import prune_job
from trilha.access.scim.limits import ServerLimit
from trilha.access.scim.tokens import unscoped
from trilha.access.scim.tokens.actions import SEALED_TOKENS
from trilha.core.database import Database
from trilha.feature import Feature
from trilha.platform.retention.archive import Archive
from trilha.settings import Settings


def _build_dependencies(settings: Settings, _: Database) -> Sequence[object]:
    return [BaseAddress(settings.address + PREFIX), ServerLimit(settings.limit_scim)]


FEATURE = Feature(
    name="scim",
    credentials=[unscoped.LOOKUP],
    build_dependencies=_build_dependencies,
    build_jobs=lambda settings: [prune_job(Archive.of(settings))],
    sealed_columns=[SEALED_TOKENS],
    erasures=[erasure.erase_person],
)
