from collections.abc import Sequence

from trilha.access.sessions import erasure, errors, invitations, unscoped
from trilha.access.sessions.api import PublicAddress, routes
from trilha.access.sessions.jobs import PRUNE, PRUNE_CHALLENGES
from trilha.access.sessions.passkeys.personal_data_export import EXPORT
from trilha.access.sessions.second_factor import SEALED_AUTHENTICATORS
from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.settings import Settings


def _build_jobs(settings: Settings) -> Sequence[Job]:
    return [PRUNE, PRUNE_CHALLENGES, invitations.job(settings.address, settings.invitations_per_day)]


FEATURE = Feature(
    name="sessions",
    errors=[errors],
    api=[routes],
    credentials=[unscoped.LOOKUP],
    build_dependencies=lambda settings, _: [PublicAddress(settings.address)],
    build_jobs=_build_jobs,
    sealed_columns=[SEALED_AUTHENTICATORS],
    erasures=[erasure.erase_person],
    export=EXPORT,
)
