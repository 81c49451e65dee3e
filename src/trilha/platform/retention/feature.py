from trilha.feature import Feature
from trilha.platform.retention.archive import SEALED_FILES, Archive, build_tenant_prefix
from trilha.platform.retention.jobs import prune_job

FEATURE = Feature(
    name="retention",
    build_jobs=lambda settings: [prune_job(Archive.of(settings))],
    sealed_files=[SEALED_FILES],
    list_file_prefixes=lambda tenant_id: [build_tenant_prefix(tenant_id)],
)
