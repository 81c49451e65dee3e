"""The job that looks for unusual learning."""

from trilha.core.jobs import TenantJob, oldest
from trilha.training.learning.review_flags import actions

CHECK_ENROLLMENTS = TenantJob(
    name="look for unusual learning",
    due=oldest("review_checks", "true", "created_at"),
    batch=actions.check_waiting,
    rest=5,
)
