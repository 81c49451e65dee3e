from trilha.feature import Feature
from trilha.training.enrollments import errors, extension_queries
from trilha.training.enrollments.api import routes
from trilha.training.enrollments.jobs import JOBS
from trilha.training.enrollments.personal_data_export import EXPORT

FEATURE = Feature(
    name="enrollments",
    errors=[errors],
    v1=[routes],
    build_jobs=lambda _: JOBS,
    erasures=[extension_queries.erase],
    export=EXPORT,
)
