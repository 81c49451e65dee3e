from collections.abc import Sequence

from trilha.core.database import Database
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.web.player import errors
from trilha.web.player.files import PackageContents
from trilha.web.player.quiz.reports import VoiceAnswers


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    return [PackageContents(database), VoiceAnswers(settings.open_files(), database)]


FEATURE = Feature(name="player", errors=[errors], build_dependencies=_build_dependencies)
