from collections.abc import Sequence

from trilha.core.database import Database
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.xapi import errors, people
from trilha.training.xapi.access import BaseAddress
from trilha.training.xapi.freshness import Freshness
from trilha.training.xapi.writer import StatementWriter


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    return [BaseAddress(settings.address), StatementWriter(database), Freshness(database)]


FEATURE = Feature(
    name="xapi",
    errors=[errors],
    build_dependencies=_build_dependencies,
    erasures=[people.erase],
    export=people.EXPORT,
)
