"""The worker's job for classes."""

from trilha.core.jobs import TenantJob, each_tenant_once
from trilha.training.classes.judging import judge_next

JUDGE_PRESENCE = TenantJob(
    name="judge presence in classes",
    due=each_tenant_once("presence_checks", "true"),
    batch=judge_next,
    rest=1,
)
