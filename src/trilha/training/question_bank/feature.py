from collections.abc import Sequence

from trilha.core.database import Database
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.question_bank import errors, figures, queries
from trilha.training.question_bank.parsing.reading import QuestionFiles


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    return [QuestionFiles(settings.scratch)]


FEATURE = Feature(
    name="question_bank",
    errors=[errors],
    build_dependencies=_build_dependencies,
    build_jobs=lambda _: (figures.MEASURE,),
    erasures=[queries.erase],
)
