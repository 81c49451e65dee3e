"""The worker's jobs for reports."""

from trilha.core.jobs import TenantJob
from trilha.training.reports import unit_counters

COUNT_UNITS = TenantJob(
    name="count business units",
    due=unit_counters.DUE,
    batch=unit_counters.count,
    rest=60,
    is_logged=False,
)
JOBS = (COUNT_UNITS,)
