from trilha.feature import Feature
from trilha.training.scorm import errors, objects
from trilha.training.scorm.jobs import ImportPackages

FEATURE = Feature(
    name="scorm",
    errors=[errors],
    build_jobs=lambda settings: [ImportPackages(settings.open_files(), settings.scratch)],
    list_file_prefixes=objects.of_tenant,
)
