"""What the worker does for learning."""

from trilha.core.jobs import TenantJob, oldest
from trilha.learning import reviewing

CHECK = TenantJob(
    name="look for unusual learning",
    due=oldest("review_checks", "true", "created_at"),
    batch=reviewing.check,
    rest=5,
)
JOBS = (CHECK,)
