"""The worker's job for evaluations."""

from trilha.core.jobs import TenantJob, oldest
from trilha.training.evaluations import actions

ASK_DUE = TenantJob(
    name="ask how courses are used",
    due=oldest("course_evaluations", "asked_at IS NULL AND due_at <= :now", "due_at"),
    batch=actions.ask_due,
    rest=30,
)
