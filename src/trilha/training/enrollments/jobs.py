"""The worker's jobs for enrollments."""

from trilha.core import counter_rows
from trilha.core.jobs import TenantJob, oldest
from trilha.training.enrollments import actions, counters

EXPIRE = TenantJob(
    name="expire enrollments",
    due=oldest(
        "all_enrollments",
        "status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at <= :now AND cancelled_at IS NULL",
        "expires_at",
    ),
    batch=actions.expire_due,
    rest=5,
)
MERGE_COUNTERS = tuple(map(counter_rows.job, counters.TABLES))
JOBS = (EXPIRE, *MERGE_COUNTERS)
