from collections.abc import Sequence

from trilha.core.database import Database
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.launch_links.actions import LinkMaker
from trilha.training.launch_links.api import routes
from trilha.training.launch_links.jobs import PRUNE
from trilha.training.launch_links.queries import erase_person


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    return [LinkMaker(settings.address, plain_http=settings.env == "development")]


FEATURE = Feature(
    name="launch_links",
    v1=[routes],
    build_dependencies=_build_dependencies,
    build_jobs=lambda _: [PRUNE],
    erasures=[erase_person],
)
