from collections.abc import Sequence

from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.learning import erasure, errors, transcripts
from trilha.training.learning.completion import jobs as completion
from trilha.training.learning.launches import unscoped as launches
from trilha.training.learning.review_flags import jobs as reviews
from trilha.training.learning.voice_answers import jobs as voice


def _build_jobs(settings: Settings) -> Sequence[Job]:
    return [reviews.CHECK_ENROLLMENTS, *completion.JOBS, voice.RemoveRecordings(settings.open_files())]


FEATURE = Feature(
    name="learning",
    errors=[errors],
    credentials=[launches.LOOKUP],
    build_jobs=_build_jobs,
    sealed_files=[voice.SEALED_RECORDINGS],
    erasures=[erasure.erase_person],
    export=transcripts.EXPORT,
)
