from trilha.feature import Feature
from trilha.people.people_import import erasure, errors
from trilha.people.people_import.files import ImportFiles
from trilha.people.people_import.jobs import jobs

FEATURE = Feature(
    name="people_import",
    errors=[errors],
    build_dependencies=lambda settings, database: [ImportFiles(settings.data_dir, database.keyring)],
    build_jobs=lambda settings: jobs(settings.address, settings.data_dir),
    erasures=[erasure.erase_person],
)
