"""The job that looks for unusual learning."""

from trilha.core.jobs import TenantJob, oldest
from trilha.learning.reviews import actions

CHECK = TenantJob(
    name="look for unusual learning",
    due=oldest("review_checks", "true", "created_at"),
    batch=actions.check,
    rest=5,
)
