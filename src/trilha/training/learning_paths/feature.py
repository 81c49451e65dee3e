from trilha.feature import Feature
from trilha.training.learning_paths import errors
from trilha.training.learning_paths.jobs import JOBS
from trilha.training.learning_paths.personal_data_export import EXPORT

FEATURE = Feature(name="learning_paths", errors=[errors], build_jobs=lambda _: JOBS, export=EXPORT)
