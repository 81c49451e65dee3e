from collections.abc import Sequence

from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.xapi_pipes import errors
from trilha.training.xapi_pipes.actions import SEALED_PASSWORDS
from trilha.training.xapi_pipes.jobs import ForwardStatements
from trilha.training.xapi_pipes.sender import Sender


def _build_jobs(settings: Settings) -> Sequence[Job]:
    return [ForwardStatements(Sender(settings.guard))]


FEATURE = Feature(
    name="xapi_pipes", errors=[errors], build_jobs=_build_jobs, sealed_columns=[SEALED_PASSWORDS]
)
