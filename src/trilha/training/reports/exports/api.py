"""/v1 exports of enrollments: at once, or made in the background."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.answers import Stream
from trilha.core.web.callers import Caller
from trilha.core.web.pagination import ItemQuery
from trilha.core.web.routes import Envelope, Routes
from trilha.training.reports.exports import actions, queries
from trilha.training.reports.exports.links import ExportLinks
from trilha.training.reports.exports.rows import COLUMNS, ExportFilter
from trilha.training.reports.exports.schema import CsvQuery, Export, NewExport, RequestedExport
from trilha.training.reports.exports.streaming import CsvFiles

routes = Routes("Exports", "Enrollments as files.")
_EXAMPLE = (
    ",".join(COLUMNS) + "\r\nAna Lima,ana.lima@example.com,Direção defensiva,COMPLETED,100,87.5,"
    "2026-11-02T12:00:00.000Z,2026-11-03T09:30:00.000Z,2026-11-20T17:45:10.250Z,\r\n"
)


@routes.get(
    "/analytics/exports",
    scope=Scope.ANALYTICS_READ,
    media_type="text/csv",
    example=_EXAMPLE,
    tells=["X-Truncated"],
)
async def export_enrollments(files: CsvFiles, caller: Caller, query: CsvQuery) -> Stream[str]:
    """Download enrollments as CSV, newest first, up to 50,000 of them.

    The columns are `student_name, student_email, course, status, progress, score, enrolled_at, started_at,
    completed_at, expires_at` (RFC 4180, UTF-8). A cell that a spreadsheet would run as a formula begins with
    an apostrophe. If there are more rows, the response has the header `X-Truncated: true`.
    """
    wanted = ExportFilter(course_id=query.course_id, statuses=query.status.items() if query.status else [])
    file = files.begin(caller.tenant_id, wanted)
    headers = {"content-disposition": 'attachment; filename="enrollments.csv"'}
    if await file.is_truncated():
        headers["x-truncated"] = "true"
    return Stream(file, "text/csv; charset=utf-8", headers=headers)


@routes.post(
    "/analytics/exports",
    scope=Scope.ANALYTICS_READ,
    status=202,
    errors=["course_not_found", "too_many_exports"],
)
async def create_export(tx: Tx, data: NewExport) -> Envelope[RequestedExport]:
    """Create an export of any number of enrollments as CSV, XLSX or Parquet.

    Poll the export until it is READY. XLSX and Parquet store texts as texts, and times in UTC. A sheet of
    XLSX has up to 1,048,575 rows; further rows continue on the next sheet.
    """
    filters = data.filters
    wanted = ExportFilter(
        course_id=filters.course_id, statuses=filters.status.items() if filters.status else []
    )
    export = await actions.request(tx, data.type, wanted)
    return Envelope(RequestedExport(export.id, export.status))


@routes.get("/analytics/exports/{export_id}", scope=Scope.ANALYTICS_READ, errors=["export_not_found"])
async def get_export(tx: Tx, links: ExportLinks, export_id: UUID, query: ItemQuery) -> Envelope[Export]:
    """Get the progress of an export and, once READY, the link to its file."""
    return Envelope(links.build_export(tx.tenant_id, await queries.get(tx, export_id), tx.now))
