"""The worker's jobs for classes."""

from functools import partial

from trilha.core.jobs import TenantJob, each_tenant_once
from trilha.training.classes.invitations.telling import tell_next
from trilha.training.classes.judging import judge_next

JUDGE_PRESENCE = TenantJob(
    name="judge presence in classes",
    due=each_tenant_once("presence_checks", "true"),
    batch=judge_next,
    rest=1,
)


def build_invitations_job(address: str) -> TenantJob:
    """Builds the job that invites people to sessions. `address` is the base of links."""
    return TenantJob(
        name="invite to classes",
        due=each_tenant_once("class_notices", "is_pending"),
        batch=partial(tell_next, address=address),
        rest=1,
    )
