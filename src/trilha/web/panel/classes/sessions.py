"""Adds, changes and cancels the sessions of a class."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, formats
from trilha.training.classes import actions, panel_lists, queries
from trilha.training.classes.panel_lists import ListedClassRow
from trilha.training.classes.schema import ClassSession
from trilha.web.panel.classes import words
from trilha.web.panel.classes.forms import ReasonForm, SessionForm, read_session
from trilha.web.panel.classes.pages import (
    ADDRESS,
    READ,
    WRITE,
    lead_to,
    load_session_fields,
    request_links,
)
from trilha.web.panel.confirm import Subject
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Sessions", "When and where a class meets.")
_FORM = "panel/classes/session.html"


class SessionOfClass(Struct, frozen=True):
    """A session with its class."""

    row: ListedClassRow
    session: ClassSession


async def get_within(tx: Tx, view: PanelView, class_session_id: UUID) -> SessionOfClass:
    """Raises NotFound, also for a session of a class out of reach."""
    session = await queries.find_session(tx, class_session_id)
    return SessionOfClass(await panel_lists.get_within(tx, session.class_id, reach_of(view)), session)


@routes.get("/classes/{class_id}/sessions/new", access=WRITE)
async def new_session(tx: Tx, view: PanelView, class_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form for one more session, which begins with the place and the time of the last one."""
    row = await panel_lists.get_within(tx, class_id, reach_of(view))
    last = (await queries.get(tx, class_id)).sessions[-1]
    values = {**read_session(last), "day": "", "ends_on": ""}
    fields = await load_session_fields(tx, view, row.course_id, refusal, last)
    return view.form(_FORM, refusal, values, words.SENTENCES, row=row, session=None, **fields)


@routes.post("/classes/{class_id}/sessions/new", access=WRITE, refused=new_session)
async def add_session(tx: Tx, view: PanelView, class_id: UUID, form: SessionForm) -> Answer:
    """Adds a session to a class."""
    await panel_lists.get_within(tx, class_id, reach_of(view))
    added, warnings = await actions.add_session(tx, class_id, form.build_plan())
    await request_links(tx, form, [added])
    return lead_to(view, class_id, N_("The session was added."), warnings)


@routes.get("/sessions/{class_session_id}", access=READ)
async def open_session(tx: Tx, view: PanelView, class_session_id: UUID) -> Answer:
    """Leads to a session on the page of its class."""
    found = await get_within(tx, view, class_session_id)
    return view.lead(f"{ADDRESS}/{found.row.id}#session-{class_session_id}")


@routes.get("/sessions/{class_session_id}/edit", access=WRITE)
async def edit_session(
    tx: Tx, view: PanelView, class_session_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows the form of a session."""
    found = await get_within(tx, view, class_session_id)
    fields = await load_session_fields(tx, view, found.row.course_id, refusal, found.session)
    values = read_session(found.session)
    return view.form(_FORM, refusal, values, words.SENTENCES, row=found.row, session=found.session, **fields)


@routes.post("/sessions/{class_session_id}/edit", access=WRITE, refused=edit_session)
async def update_session(tx: Tx, view: PanelView, class_session_id: UUID, form: SessionForm) -> Answer:
    """Changes the time, the place or the instructors of a session."""
    found = await get_within(tx, view, class_session_id)
    changed, warnings = await actions.change_session(tx, class_session_id, form.build_update(found.session))
    await request_links(tx, form, [changed])
    return lead_to(view, found.row.id, N_("The session was saved."), warnings)


async def _cancel(tx: Tx, class_session_id: UUID, form: ReasonForm) -> None:
    await actions.cancel_session(tx, class_session_id, form.reason)


SESSION = Subject(
    routes=routes,
    path="/sessions/{class_session_id}",
    access=WRITE,
    get=get_within,
    name=lambda subject: subject.row.title,
    trail=lambda view, subject: [(subject.row.title, f"{ADDRESS}/{subject.row.id}")],
)


async def _describe(tx: Tx, view: PanelView, subject: SessionOfClass) -> dict[str, object]:
    session = subject.session
    return {
        "when": formats.period(view.page, session.starts_at, session.ends_at, session.time_zone).striptags()
    }


SESSION.ask(
    "cancel",
    _cancel,
    N_("Cancel this session of %(name)s"),
    [
        "%(when)s",
        N_("Its attendance no longer counts. The other sessions stay as they are. You cannot undo this."),
    ],
    N_("Cancel session"),
    N_("The session was canceled."),
    form=ReasonForm,
    values=_describe,
    template="panel/classes/cancel.html",
    sentences=words.SENTENCES,
)
