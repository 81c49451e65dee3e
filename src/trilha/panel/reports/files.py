"""/admin/reports/files: files of enrollments, asked for, made by the worker and fetched."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html, Redirect
from trilha.core.web.routes import Refusal, Routes
from trilha.enrollments.schema import StatusFilter
from trilha.pages import N_, say
from trilha.panel.enrollments import words
from trilha.panel.reports.filters import ADDRESS, READ, ReportQuery, read_filters
from trilha.panel.view import PanelView
from trilha.reports.exports import actions, queries
from trilha.reports.exports.links import ExportLinks
from trilha.reports.exports.rows import Wanted
from trilha.reports.exports.schema import ExportType, StoredExport

routes = Routes("Files of reports", "Enrollments as files, of any number.")
_FILES = f"{ADDRESS}/files"
_MOST = 20
say(too_many_exports=N_("Enough files are being made already. Ask again when one of them is ready."))
TYPES = {"xlsx": N_("Excel (XLSX)"), "csv": N_("CSV"), "parquet": N_("Parquet")}
STATUSES = {name.lower(): words for name, words in words.STATUSES.items()}


class NewFile(ReportQuery, frozen=True, kw_only=True):
    type: ExportType = "xlsx"
    status: StatusFilter | None = None


@routes.get("/reports/files", access=READ)
async def list_files(tx: Tx, view: PanelView, query: ReportQuery, refusal: Refusal | None = None) -> Html:
    """The files that the viewer asked for, and the form for another."""
    filters = await read_filters(tx, view, "/files", query, takes=(), refusal=refusal)
    found = await queries.list_of_user(tx, view.viewer.user_id, _MOST)
    return view.form(
        "panel/reports/files.html",
        refusal,
        {"type": "xlsx", "course": query.course, "unit": query.unit, "group": query.group},
        filters=filters,
        exports=found,
        running=[each for each in found if each.status in ("PENDING", "RUNNING")],
        types=TYPES,
        statuses=STATUSES,
    )


@routes.post("/reports/files", access=READ, refused=list_files)
async def request_file(tx: Tx, view: PanelView, form: NewFile) -> Answer:
    """Have a file made of the enrollments within reach."""
    await read_filters(tx, view, "/files", ReportQuery(course=form.course, unit=form.unit, group=form.group))
    role = view.viewer.role
    wanted = Wanted(
        course_id=form.course,
        unit_id=form.unit,
        group_id=form.group,
        statuses=form.status.items() if form.status else [],
        reader=None if role == "admin" else view.viewer.user_id,
        role=None if role == "admin" else role,
    )
    export = await actions.request(tx, form.type, wanted, view.viewer.user_id)
    return view.lead(f"{_FILES}/{export.id}")


async def _own(tx: Tx, view: PanelView, export_id: UUID) -> StoredExport:
    """An administrator's are all. Raises NotFound."""
    export = await queries.get(tx, export_id)
    if view.viewer.role != "admin" and export.user_id != view.viewer.user_id:
        raise NotFound("export_not_found")
    return export


@routes.get("/reports/files/{export_id}", access=READ)
async def show_file(tx: Tx, view: PanelView, export_id: UUID) -> Html:
    """How far it is; once it is ready, the way to it."""
    return view.show("panel/reports/file.html", export=await _own(tx, view, export_id), types=TYPES)


@routes.get("/reports/files/{export_id}/progress", access=READ)
async def show_progress(tx: Tx, view: PanelView, export_id: UUID) -> Answer:
    """The part that tells how far it is."""
    export = await _own(tx, view, export_id)
    if view.page.fragment and export.status in ("PENDING", "RUNNING"):
        return view.show("panel/reports/_progress.html", export=export)
    return view.lead(f"{_FILES}/{export_id}")


@routes.get("/reports/files/{export_id}/download", access=READ)
async def download_file(tx: Tx, view: PanelView, links: ExportLinks, export_id: UUID) -> Answer:
    """To the file, by a link that is good for 15 minutes."""
    export = await _own(tx, view, export_id)
    url = links.file(tx.tenant_id, export, tx.now)
    if url is None:
        return view.lead(f"{_FILES}/{export_id}")
    # Within this host, whatever name the browser knows it by.
    return Redirect(url.removeprefix(links.address))
