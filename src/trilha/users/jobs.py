"""What the worker does for users."""

from trilha.core.jobs import TenantJob, each_tenant_once
from trilha.users import actions

MARK_CPFS = TenantJob(
    name="mark CPFs",
    due=each_tenant_once("users", "cpf_unmarked"),
    batch=actions.mark_cpfs,
    rest=60,
)
JOBS = (MARK_CPFS,)
