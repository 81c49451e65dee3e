from collections.abc import Sequence

from trilha.access.sessions import erasure, errors, invitations, unscoped
from trilha.access.sessions.api import PublicAddress, routes
from trilha.access.sessions.jobs import PRUNE
from trilha.access.sessions.second_factor import SEALED_AUTHENTICATORS
from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.settings import Settings


def _build_jobs(settings: Settings) -> Sequence[Job]:
    return [PRUNE, invitations.job(settings.address, settings.invitations_per_day)]


FEATURE = Feature(
    name="sessions",
    errors=[errors],
    api=[routes],
    credentials=[unscoped.LOOKUP],
    build_dependencies=lambda settings, _: [PublicAddress(settings.address)],
    build_jobs=_build_jobs,
    sealed_columns=[SEALED_AUTHENTICATORS],
    erasures=[erasure.erase_person],
)
