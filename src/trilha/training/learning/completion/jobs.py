"""The jobs that reassess enrollments in changed courses, and that issue missing certificates."""

from trilha.core.jobs import TenantJob, each_tenant_once, oldest
from trilha.training.learning.completion import changed_courses, missing_certificates

REASSESS_CHANGED_COURSES = TenantJob(
    name="look at changed courses",
    due=oldest("changed_courses", "true", "changed_at"),
    batch=changed_courses.reassess_next,
    rest=2,
)
ISSUE_MISSING_CERTIFICATES = TenantJob(
    name="issue certificates of earlier completions",
    due=each_tenant_once("missing_certificates", "true"),
    batch=missing_certificates.issue_missing,
    rest=30,
)
JOBS = (REASSESS_CHANGED_COURSES, ISSUE_MISSING_CERTIFICATES)
