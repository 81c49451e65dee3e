from trilha.feature import Feature
from trilha.platform.tenants import errors, surface
from trilha.platform.tenants.quotas import errors as quota_errors
from trilha.platform.tenants.usage.jobs import MERGE_COUNTERS

FEATURE = Feature(
    name="tenants",
    errors=[errors, quota_errors],
    build_surfaces=lambda _: [surface.SURFACE],
    build_jobs=lambda _: [MERGE_COUNTERS],
)
