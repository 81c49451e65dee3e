from collections.abc import Sequence

from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.platform.retention.archive import Archive
from trilha.settings import Settings
from trilha.training.learning import erasure, errors, transcripts
from trilha.training.learning.cmi5 import api as cmi5_api
from trilha.training.learning.cmi5 import unscoped as cmi5
from trilha.training.learning.cmi5.host import build_host
from trilha.training.learning.completion import jobs as completion
from trilha.training.learning.evidence import jobs as evidence
from trilha.training.learning.launches import unscoped as launches
from trilha.training.learning.quizzes import jobs as quizzes
from trilha.training.learning.review_flags import jobs as reviews
from trilha.training.learning.voice_answers import jobs as voice
from trilha.training.learning.voice_answers import recordings


def _build_jobs(settings: Settings) -> Sequence[Job]:
    return [
        *(reviews.CHECK_ENROLLMENTS, *completion.JOBS, evidence.prune_job(Archive.of(settings))),
        quizzes.CLOSE_ATTEMPTS,
        voice.RemoveRecordings(settings.open_files()),
    ]


FEATURE = Feature(
    name="learning",
    errors=[errors],
    v1=[cmi5_api.routes],
    credentials=[launches.LOOKUP, cmi5.LOOKUP],
    build_dependencies=lambda settings, database: [build_host(database, settings.address)],
    build_jobs=_build_jobs,
    sealed_files=[voice.SEALED_RECORDINGS],
    list_file_prefixes=lambda tenant_id: [recordings.build_tenant_prefix(tenant_id)],
    erasures=[erasure.erase_person],
    export=transcripts.EXPORT,
)
