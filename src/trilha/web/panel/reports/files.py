"""/admin/reports/files: files of enrollments, requested here and made by the worker."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html, Redirect
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.training.enrollments.schema import StatusFilter
from trilha.training.reports.exports import actions, queries
from trilha.training.reports.exports.links import ExportLinks
from trilha.training.reports.exports.rows import ExportFilter
from trilha.training.reports.exports.schema import ExportType, StoredExport
from trilha.web.panel.enrollments import words
from trilha.web.panel.reports.filters import ADDRESS, READ, ReportQuery, read_filters
from trilha.web.panel.view import PanelView

routes = Routes("Files of reports", "Enrollments as files, of any number.")
_FILES = f"{ADDRESS}/files"
_MAX_FILES = 20
say(too_many_exports=N_("Too many files are in preparation. Request another when one is ready."))
TYPES = {"xlsx": N_("Excel (XLSX)"), "csv": N_("CSV"), "parquet": N_("Parquet")}
# Other pages request further ones.
_FORMATS = {**TYPES, "pdf": N_("PDF"), "zip": N_("Papers for inspectors (ZIP)")}
STATUSES = {name.lower(): words for name, words in words.STATUSES.items()}


class NewFile(ReportQuery, frozen=True, kw_only=True):
    type: ExportType = "xlsx"
    status: StatusFilter | None = None


@routes.get("/reports/files", access=READ)
async def list_files(tx: Tx, view: PanelView, query: ReportQuery, refusal: Refusal | None = None) -> Html:
    """Show the viewer's files, and the form for another."""
    filters = await read_filters(tx, view, "/files", query, takes=(), refusal=refusal)
    found = await queries.list_of_user(tx, view.viewer.user_id, _MAX_FILES)
    return view.form(
        "panel/reports/files.html",
        refusal,
        {"type": "xlsx", "course": query.course, "unit": query.unit, "group": query.group},
        filters=filters,
        exports=found,
        running=[each for each in found if each.status in ("PENDING", "RUNNING")],
        types=TYPES,
        formats=_FORMATS,
        statuses=STATUSES,
    )


@routes.post("/reports/files", access=READ, refused=list_files)
async def request_file(tx: Tx, view: PanelView, form: NewFile) -> Answer:
    """Request a file of the enrollments within reach."""
    await read_filters(tx, view, "/files", ReportQuery(course=form.course, unit=form.unit, group=form.group))
    role = view.viewer.role
    wanted = ExportFilter(
        course_id=form.course,
        unit_id=form.unit,
        group_id=form.group,
        statuses=form.status.items() if form.status else [],
        reader=None if role == "admin" else view.viewer.user_id,
        role=None if role == "admin" else role,
        workplaces=True,
    )
    export = await actions.request(tx, form.type, wanted, view.viewer.user_id)
    return view.lead(f"{_FILES}/{export.id}")


async def _own(tx: Tx, view: PanelView, export_id: UUID) -> StoredExport:
    """Returns the viewer's own file; administrators see all. Raises NotFound."""
    export = await queries.get(tx, export_id)
    if view.viewer.role != "admin" and export.user_id != view.viewer.user_id:
        raise NotFound("export_not_found")
    return export


@routes.get("/reports/files/{export_id}", access=READ)
async def show_file(tx: Tx, view: PanelView, export_id: UUID) -> Html:
    """Show the progress of a file, or its link."""
    return view.show("panel/reports/file.html", export=await _own(tx, view, export_id), formats=_FORMATS)


@routes.get("/reports/files/{export_id}/progress", access=READ)
async def show_progress(tx: Tx, view: PanelView, export_id: UUID) -> Answer:
    """Show the progress."""
    export = await _own(tx, view, export_id)
    if view.page.fragment and export.status in ("PENDING", "RUNNING"):
        return view.show("panel/reports/_progress.html", export=export)
    return view.lead(f"{_FILES}/{export_id}")


@routes.get("/reports/files/{export_id}/download", access=READ)
async def download_file(tx: Tx, view: PanelView, links: ExportLinks, export_id: UUID) -> Answer:
    """Redirect to the file with a link that is valid for 15 minutes."""
    export = await _own(tx, view, export_id)
    url = links.file(tx.tenant_id, export, tx.now)
    if url is None:
        return view.lead(f"{_FILES}/{export_id}")
    # A path, so that the browser stays on the host name it knows.
    return Redirect(url.removeprefix(links.address))
