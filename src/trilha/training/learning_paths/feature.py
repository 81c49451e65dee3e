from trilha.feature import Feature
from trilha.people.people_import import enrolling
from trilha.training.learning_paths import errors
from trilha.training.learning_paths.jobs import JOBS
from trilha.training.learning_paths.people_imports import TO_PATH
from trilha.training.learning_paths.personal_data_export import EXPORT

enrolling.register("path", TO_PATH)
FEATURE = Feature(name="learning_paths", errors=[errors], build_jobs=lambda _: JOBS, export=EXPORT)
