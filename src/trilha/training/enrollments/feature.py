from trilha.feature import Feature
from trilha.people.people_import import enrolling
from trilha.training.enrollments import errors, extension_queries
from trilha.training.enrollments.api import routes
from trilha.training.enrollments.jobs import JOBS
from trilha.training.enrollments.people_imports import IN_COURSE
from trilha.training.enrollments.personal_data_export import EXPORT

enrolling.register("course", IN_COURSE)
FEATURE = Feature(
    name="enrollments",
    errors=[errors],
    v1=[routes],
    build_jobs=lambda _: JOBS,
    erasures=[extension_queries.erase],
    export=EXPORT,
)
