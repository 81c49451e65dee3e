"""The worker's jobs for learning paths."""

from trilha.core.jobs import TenantJob, oldest
from trilha.training.learning_paths import advancing

ROLL_OUT = TenantJob(
    name="roll out learning paths",
    due=oldest("learning_path_rollouts", "finished_at IS NULL", "created_at"),
    batch=advancing.roll_out,
    rest=1,
)
GO_ON = TenantJob(
    name="go on with learning paths",
    due=oldest("learning_path_changes", "true", "created_at"),
    batch=advancing.take_changes,
    rest=1,
)
JOBS = (ROLL_OUT, GO_ON)
