"""/admin/requirements/remind: reminds one person, or all in a state, with a text of one's own."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.lists import find_rows, list_rows
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.platform.bulk_actions.schema import NewRun
from trilha.training.reminders import actions as reminders
from trilha.training.requirements import matrix, people_queries
from trilha.training.requirements.matrix import MatrixPerson, MatrixQuery
from trilha.training.requirements.standing import State
from trilha.web.panel.bulk.offering import begin
from trilha.web.panel.reach import reach_of
from trilha.web.panel.requirements.bulk import REMIND_OF_ALL
from trilha.web.panel.requirements.pages import ADDRESS, MATRIX
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Reminding", "Reminds people who are late or due.")
REMIND = f"{ADDRESS}/remind"
_ACCESS = may(Permission.ENROLLMENTS_WRITE)
MAX_PEOPLE = 1000


class ReminderForm(Struct, frozen=True, kw_only=True):
    """One person, or all who match the filters. The first step asks for the text."""

    id: list[UUID] = []
    all: bool = False
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    unit: UUID | None = None
    job_title: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    requirement: UUID | None = None
    state: State | None = None
    text: Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)] | None = None
    step: Literal["ask", "send"] = "ask"
    page: Literal["overview"] | None = None


class ReminderQuery(Struct, frozen=True, kw_only=True):
    """One person, or all who are in a state."""

    id: UUID | None = None
    requirement: UUID | None = None
    state: State | None = None
    page: Literal["overview"] | None = None


@routes.get("/requirements/remind", access=_ACCESS)
async def ask_text(tx: Tx, view: PanelView, query: ReminderQuery) -> Html:
    """Asks for the text of a reminder to one person, or to all who are in a state."""
    form = ReminderForm(
        id=[query.id] if query.id else [],
        all=query.id is None,
        requirement=query.requirement,
        state=query.state,
        page=query.page,
    )
    return await _ask(tx, view, form)


@routes.post("/requirements/remind", access=_ACCESS)
async def remind(tx: Tx, view: PanelView, form: ReminderForm) -> Answer:
    """Asks for the text, or sends the reminders. Skips people who were reminded today. Several people are
    reminded in a minute, in which it can be undone.
    """
    if form.step == "ask":
        answer: Answer = await _ask(tx, view, form)
        return answer
    people = await _find_people(tx, view, form)
    enrollments = await people_queries.list_enrollments_to_remind(tx, _ids_of(people), form.requirement)
    if len(people) != 1:
        return await _remind_many(tx, view, form, people, enrollments)
    sent = await reminders.remind_many(tx, enrollments, form.text)
    message = (
        N_("The reminder was sent to %(name)s.")
        if sent
        else N_("%(name)s was reminded today already, or has nothing open.")
    )
    return view.lead(_find_page(form), message, name=people[0].name)


async def _remind_many(
    tx: Tx,
    view: PanelView,
    form: ReminderForm,
    people: Sequence[MatrixPerson],
    enrollments: Mapping[UUID, Sequence[UUID]],
) -> Answer:
    """Begins the bulk action of the list, which can be undone for a minute."""
    if not enrollments:
        return view.lead(_find_page(form), N_("These people have nothing open that is late or due."), "warn")
    new = NewRun(
        id=uuid4(),
        action=REMIND_OF_ALL.name,
        options={"text": form.text, "requirement_id": str(form.requirement) if form.requirement else None},
        address=_find_page(form),
        user_id=view.viewer.user_id,
    )
    ids = _ids_of(people)
    reasons = {id: "nothing_open" for id in ids if id not in enrollments}
    return await begin(tx, view, REMIND_OF_ALL, new, ids, reasons)


async def _ask(tx: Tx, view: PanelView, form: ReminderForm) -> Html:
    people = await _find_people(tx, view, form)
    enrollments = await people_queries.list_enrollments_to_remind(tx, _ids_of(people), form.requirement)
    filters: dict[str, Any] = {
        name: value
        for name in ("q", "unit", "job_title", "requirement", "state", "page")
        if (value := getattr(form, name)) is not None
    }
    return view.form(
        "panel/requirements/remind.html",
        None,
        {},
        section=view.say(N_("Overview") if form.page == "overview" else N_("Mandatory training")),
        people=len(enrollments),
        name=people[0].name if len(people) == 1 else "",
        ids=[] if form.all else _ids_of(people),
        filters=filters | ({"all": "true"} if form.all else {}),
        address=REMIND,
        back=_find_page(form),
        maximum=MAX_PEOPLE,
    )


def _ids_of(people: Sequence[MatrixPerson]) -> list[UUID]:
    return [each.id for each in people]


async def _find_people(tx: Tx, view: PanelView, form: ReminderForm) -> Sequence[MatrixPerson]:
    """Returns the people within reach whom the form names."""
    query = MatrixQuery(
        q=form.q,
        unit=form.unit,
        job_title=form.job_title,
        requirement=form.requirement,
        state=form.state,
    )
    if form.all:
        return await list_rows(tx, matrix.PEOPLE, query, reach_of(view), limit=MAX_PEOPLE)
    return await find_rows(tx, matrix.PEOPLE, form.id[:MAX_PEOPLE], reach_of(view))


def _find_page(form: ReminderForm) -> str:
    """Returns the page that the person came from."""
    if form.page == "overview":
        return HOME
    return f"{ADDRESS}/{form.requirement}" if form.requirement else MATRIX
