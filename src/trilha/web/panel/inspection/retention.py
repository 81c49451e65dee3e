"""/admin/inspection/retention: how long evidence of training is kept, and what will be erased when."""

from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import asdict

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.record_retention import actions, queries
from trilha.training.record_retention.schema import ErasureState, RecordSettings
from trilha.web.panel import choices
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Retention of records", "What is erased after its retention, and when.")
PATH = f"{HOME}/inspection/retention"
_ACCESS = may(Permission.AUDIT_READ)
_PER_PAGE = 100
_MAX_PAGE = 1_000
# More are not counted.
_MAX_COUNT = 10_000
_SENTENCES = {
    "out_of_range": N_("Enter a number of years within the limits above."),
    "invalid_type": N_("Enter a number of years, or leave the field empty."),
}


class ErasuresQuery(Struct, frozen=True, kw_only=True):
    course: UUID | None = None
    state: ErasureState = "planned"
    page: Annotated[int, Meta(ge=1, le=_MAX_PAGE)] = 1


@routes.get("/inspection/retention", access=_ACCESS)
async def show_erasures(tx: Tx, view: PanelView, query: ErasuresQuery) -> Html:
    """Lists the enrollments whose evidence will be erased, and those whose evidence was."""
    courses = await choices.courses(tx, view, query.course)
    if query.course is not None and courses.words(query.course) is None:
        raise NotFound("course_not_found")
    offset = (query.page - 1) * _PER_PAGE
    erasures = await queries.list_erasures(tx, query.state, query.course, _PER_PAGE + 1, offset)
    return view.show(
        "panel/inspection/erasures.html",
        query=query,
        courses=courses,
        settings=await queries.get_settings(tx),
        erasures=erasures[:_PER_PAGE],
        counts=await queries.count_erasures(tx, query.course, _MAX_COUNT),
        planned=_address(query, state="planned"),
        erased=_address(query, state="erased"),
        following=_address(query, state=query.state, page=query.page + 1)
        if len(erasures) > _PER_PAGE and query.page < _MAX_PAGE
        else "",
    )


def _address(query: ErasuresQuery, **values: object) -> str:
    sent = {"course": query.course, **values}
    return f"{PATH}?{urlencode({name: str(value) for name, value in sent.items() if value is not None})}"


@routes.get("/inspection/retention/settings", access=may(Permission.SETTINGS_WRITE))
async def show_record_settings(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show how many years evidence of training is kept."""
    settings = asdict(await queries.get_settings(tx))
    begins = {name: "" if years is None else years for name, years in settings.items()}
    return view.form("panel/inspection/retention_settings.html", refusal, begins, _SENTENCES, back=PATH)


@routes.post(
    "/inspection/retention/settings",
    access=may(Permission.SETTINGS_WRITE),
    max_body=8192,
    refused=show_record_settings,
)
async def save_record_settings(tx: Tx, view: PanelView, form: RecordSettings) -> Answer:
    """Save how many years evidence of training is kept."""
    await actions.change_settings(tx, form)
    return view.lead(PATH, N_("The settings were saved."))
