"""/v1 statistics: one course, and completion across courses."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.pagination import ItemQuery
from trilha.core.web.routes import Envelope, Routes
from trilha.training.reports import queries
from trilha.training.reports.schema import CompletionQuery, CompletionReport, CourseStats

routes = Routes("Reports", "How training goes, counted.")


@routes.get("/courses/{course_id}/stats", scope=Scope.ANALYTICS_READ, errors=["course_not_found"])
async def get_course_stats(tx: Tx, course_id: UUID, query: ItemQuery) -> Envelope[CourseStats]:
    """Get one course's enrollment counts, rates and averages."""
    return Envelope(await queries.get_course_stats(tx, course_id))


@routes.get("/analytics/completion", scope=Scope.ANALYTICS_READ, errors=["course_not_found"])
async def get_completion_report(tx: Tx, query: CompletionQuery) -> Envelope[CompletionReport]:
    """Get enrollment counts by status, overall and by course."""
    return Envelope(await queries.get_completion(tx, query.course_id))
