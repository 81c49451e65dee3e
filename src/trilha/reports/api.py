"""Statistics of a course, and completion of all."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.pagination import ItemQuery
from trilha.core.web.routes import Envelope, Routes
from trilha.reports import queries
from trilha.reports.schema import CompletionQuery, CompletionReport, CourseStats

routes = Routes("Reports", "How training goes, counted.")


@routes.get("/courses/{course_id}/stats", scope=Scope.ANALYTICS_READ, errors=["course_not_found"])
async def get_course_stats(tx: Tx, course_id: UUID, query: ItemQuery) -> Envelope[CourseStats]:
    """Count one course's enrollments and average how they go."""
    return Envelope(await queries.get_course_stats(tx, course_id))


@routes.get("/analytics/completion", scope=Scope.ANALYTICS_READ, errors=["course_not_found"])
async def get_completion_report(tx: Tx, query: CompletionQuery) -> Envelope[CompletionReport]:
    """Count enrollments by their state, overall and by course."""
    return Envelope(await queries.get_completion(tx, query.course_id))
