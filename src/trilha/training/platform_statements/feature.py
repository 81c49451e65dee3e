from trilha.feature import Feature
from trilha.training.platform_statements.jobs import build_job

FEATURE = Feature(name="platform_statements", build_jobs=lambda settings: [build_job(settings.address)])
