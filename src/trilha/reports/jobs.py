"""What the worker does for reports."""

from trilha.core.jobs import TenantJob
from trilha.reports import month_counters, unit_counters

COUNT_UNITS = TenantJob(
    name="count business units",
    due=unit_counters.DUE,
    batch=unit_counters.count,
    rest=60,
    logged=False,
)
MERGE_MONTHS = TenantJob(
    name="merge completions of months",
    due=month_counters.DUE,
    batch=month_counters.merge,
    rest=600,
    logged=False,
)
JOBS = (COUNT_UNITS, MERGE_MONTHS)
