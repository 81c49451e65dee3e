from trilha.feature import Feature
from trilha.platform.status.jobs import KEEP_ERRORS

FEATURE = Feature(name="status", build_jobs=lambda _: [KEEP_ERRORS])
