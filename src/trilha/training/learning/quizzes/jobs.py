"""The job that closes attempts whose time is over."""

from trilha.core.jobs import TenantJob, oldest
from trilha.training.learning.quizzes import closing

CLOSE_ATTEMPTS = TenantJob(
    name="close quizzes whose time is over",
    due=oldest("quiz_attempts", "closes_at <= :now", "closes_at"),
    batch=closing.close_due,
    rest=5,
)
