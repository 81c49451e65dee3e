from trilha.feature import Feature
from trilha.people.people_import import erasure, errors, files
from trilha.people.people_import.files import SEALED_IMPORTS, ImportFiles
from trilha.people.people_import.jobs import jobs
from trilha.people.people_import.workbooks import WorkbookReader

FEATURE = Feature(
    name="people_import",
    errors=[errors],
    build_dependencies=lambda settings, database: [
        ImportFiles(settings.open_files(), database.keyring),
        WorkbookReader(settings.scratch),
    ],
    build_jobs=lambda settings: jobs(settings.open_files(), settings.address, settings.data_dir / "imports"),
    sealed_files=[SEALED_IMPORTS],
    list_file_prefixes=lambda tenant_id: [files.of_tenant(tenant_id)],
    erasures=[erasure.erase_person],
)
