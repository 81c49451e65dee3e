from trilha.feature import Feature
from trilha.training.record_retention.jobs import EraseRecords

FEATURE = Feature(
    name="record_retention",
    build_jobs=lambda settings: (EraseRecords(settings.open_files(), settings.address),),
)
