"""What the worker does for enrollments."""

from trilha.core.jobs import TenantJob
from trilha.enrollments import actions

EXPIRE = TenantJob(
    name="expire enrollments",
    due="""
        SELECT DISTINCT tenant_id FROM enrollments
        WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at <= :now LIMIT 1000
        """,
    batch=actions.expire_due,
    rest=5,
)
JOBS = (EXPIRE,)
