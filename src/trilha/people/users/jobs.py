"""The worker's jobs for users."""

from trilha.core import counter_rows
from trilha.core.jobs import TenantJob, each_tenant_once
from trilha.people.users import actions
from trilha.people.users.lists import PEOPLE_COUNTERS

MARK_CPFS = TenantJob(
    name="mark CPFs",
    due=each_tenant_once("users", "cpf_unmarked"),
    batch=actions.mark_cpfs,
    rest=60,
)
MERGE_COUNTERS = counter_rows.job(PEOPLE_COUNTERS)
JOBS = (MARK_CPFS, MERGE_COUNTERS)
