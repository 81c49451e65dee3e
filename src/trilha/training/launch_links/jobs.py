"""Deletes old launch links."""

from trilha.core.jobs import TenantJob, oldest
from trilha.training.launch_links.queries import delete_old

PRUNE = TenantJob(
    name="prune launch links",
    due=oldest("launch_links", "delete_at < :now", "delete_at"),
    batch=delete_old,
    rest=60,
)
