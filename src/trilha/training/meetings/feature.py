from collections.abc import Sequence

from trilha.core.database import Database
from trilha.core.outbound.fetching import Fetcher
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.meetings import errors
from trilha.training.meetings.actions import SEALED_CREDENTIALS
from trilha.training.meetings.jobs import MakeLinks
from trilha.training.meetings.video_calls import MeetingServices


def _build_services(settings: Settings) -> MeetingServices:
    return MeetingServices(Fetcher(settings.guard))


def _build_dependencies(settings: Settings, _: Database) -> Sequence[object]:
    return [_build_services(settings)]


FEATURE = Feature(
    name="meetings",
    errors=[errors],
    build_dependencies=_build_dependencies,
    build_jobs=lambda settings: [MakeLinks(_build_services(settings))],
    sealed_columns=[SEALED_CREDENTIALS],
)
