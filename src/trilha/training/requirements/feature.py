from trilha.feature import Feature
from trilha.training.requirements import digest, errors, excuse_queries, extension_queries
from trilha.training.requirements.api import routes
from trilha.training.requirements.jobs import JOBS
from trilha.training.requirements.personal_data_export import EXPORT

FEATURE = Feature(
    name="requirements",
    errors=[errors],
    v1=[routes],
    build_jobs=lambda settings: (*JOBS, digest.build_job(settings.address)),
    erasures=[excuse_queries.erase, extension_queries.erase],
    export=EXPORT,
)
