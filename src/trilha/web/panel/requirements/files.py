"""/admin/requirements/files: requests a file of who stands where with which requirement."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.moments import Day
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.reports.exports import actions
from trilha.training.reports.exports.matrix_rows import MatrixFilter
from trilha.training.requirements import queries
from trilha.training.requirements.standing import State
from trilha.web.panel import choices
from trilha.web.panel.requirements import words
from trilha.web.panel.requirements.pages import ADDRESS, MATRIX
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Compliance files", "Who stands where with which requirement, as a file.")
_ACCESS = may(Permission.REQUIREMENTS_READ)
_TYPES = {"xlsx": N_("Excel (XLSX)"), "pdf": N_("PDF, up to 2,000 people"), "csv": N_("CSV")}


class FileQuery(Struct, frozen=True, kw_only=True):
    """The filters of the page that the person came from."""

    unit: UUID | None = None
    job_title: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    requirement: UUID | None = None
    state: State | None = None
    as_of: Day | None = None


class FileForm(FileQuery, frozen=True, kw_only=True):
    type: Literal["xlsx", "pdf", "csv"] = "xlsx"


@routes.get("/requirements/files", access=_ACCESS)
async def show_form(tx: Tx, view: PanelView, query: FileQuery, refusal: Refusal | None = None) -> Html:
    """Shows the form for a file."""
    requirements = await queries.list_all(tx)
    return view.form(
        "panel/requirements/files.html",
        refusal,
        {
            "type": "xlsx",
            "unit": query.unit or "",
            "job_title": query.job_title or "",
            "requirement": query.requirement or "",
            "state": query.state or "",
            "as_of": query.as_of or "",
        },
        types=_TYPES,
        states=words.STATES,
        requirements=[(str(each.id), each.title) for each in requirements],
        units=await choices.units(tx, view, refusal.values.get("unit") if refusal else query.unit),
        back=MATRIX,
        address=f"{ADDRESS}/files",
    )


@routes.post("/requirements/files", access=_ACCESS, refused=show_form)
async def request_file(tx: Tx, view: PanelView, form: FileForm) -> Answer:
    """Requests a file of the people within reach."""
    role = view.viewer.role
    wanted = MatrixFilter(
        locale="pt-BR" if view.page.locale == "pt-BR" else "en",
        time_zone=view.page.time_zone,
        at=str(form.as_of.end(view.page.time_zone)) if form.as_of else None,
        unit_id=form.unit,
        job_title=form.job_title or None,
        requirement_id=form.requirement,
        state=form.state,
        reader=None if role == "admin" else view.viewer.user_id,
        role=None if role == "admin" else role,
    )
    export = await actions.request_matrix(tx, form.type, wanted, view.viewer.user_id)
    return view.lead(f"{HOME}/reports/files/{export.id}")
