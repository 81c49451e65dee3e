"""/admin/qualifications: lists, adds, changes and removes qualifications, and downloads their documents."""

import asyncio
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.lists import fetch_nonempty_page, get_row, list_rows
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, NN_
from trilha.people.users import selection
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import PeopleQuery
from trilha.training.qualifications import actions, queries
from trilha.training.qualifications.errors import MAX_BYTES
from trilha.training.qualifications.lists import ROWS
from trilha.training.qualifications.schema import (
    Document,
    FirstDay,
    LastDay,
    ListedQualification,
    NewQualification,
    QualificationSearch,
    QualificationUpdate,
)
from trilha.web.panel import choices, lists
from trilha.web.panel.choices import ChoiceSearch
from trilha.web.panel.confirm import Subject
from trilha.web.panel.lists import Action, Choice, Empty, Table
from trilha.web.panel.people.filters import PATH as PEOPLE_PATH
from trilha.web.panel.people.page_person import name_person, show_tab
from trilha.web.panel.qualifications import words
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Qualifications", "What people are qualified for.")
READ, WRITE = may(Permission.PEOPLE_READ), may(Permission.PEOPLE_WRITE)
ADDRESS = f"{HOME}/qualifications"
_OF_PERSON = 200
_TABLE = Table(
    listing=ROWS,
    path=ADDRESS,
    title=N_("Qualifications"),
    lead=N_("Who may assess practical training, with register numbers and documents."),
    above="panel/practice/_tabs.html",
    choices=[Choice(name="state", label=N_("Any status"), options=words.STATES)],
    row="panel/qualifications/_row.html",
    values={"badges": words.BADGES, "tab": "qualifications"},
    columns=[N_("Person"), N_("Qualification"), N_("Register number"), N_("Valid until"), N_("Status")],
    counted=NN_("%(num)s qualification", "%(num)s qualifications"),
    actions=[
        Action(N_("Add qualification"), f"{ADDRESS}/new", "plus", Permission.PEOPLE_WRITE, primary=True)
    ],
    empty=Empty(
        N_("No qualifications yet"),
        N_("Add those of the people who assess practical training, such as instructors of NR-35."),
        "badge-check",
    ),
)


class NewQuery(Struct, frozen=True, kw_only=True):
    """The person for whom the form opens."""

    user: UUID | None = None
    q: str | None = None


class QualificationForm(Struct, frozen=True, kw_only=True):
    title: Name
    issuing_body: Name
    register_number: Name | None = None
    valid_from: FirstDay
    valid_until: LastDay | None = None
    document: UploadedFile | None = None


class NewQualificationForm(QualificationForm, frozen=True, kw_only=True):
    user_id: UUID


async def _read(form: QualificationForm, caller: Caller) -> Document | None:
    """Reads the document before the transaction begins. Raises Invalid (document_not_readable)."""
    if form.document is None or not form.document.filename:
        return None
    if not 0 < form.document.size <= MAX_BYTES:
        raise invalid("document", "document_not_readable")
    return actions.check_document(await asyncio.to_thread(form.document.path.read_bytes))


@routes.get("/qualifications", access=READ)
async def list_qualifications(tx: Tx, view: PanelView, query: QualificationSearch) -> Html:
    """Lists the qualifications of people within reach."""
    named = await name_person(tx, view, query.user)
    return await lists.show(tx, view, _TABLE, query, reach_of(view), named=named)


@routes.get("/qualifications/people", access=WRITE)
async def offer_people(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Options of the person field: active people who match the typed text."""
    people = await fetch_nonempty_page(tx, PEOPLE, _build_search(query.q), reach_of(view))
    return choices.render_options(view, choices.of_people(people.data))


def _build_search(typed: str | None) -> PeopleQuery:
    return PeopleQuery(q=typed or None, status="ACTIVE", limit=50)


@routes.get("/qualifications/new", access=WRITE)
async def new_qualification(tx: Tx, view: PanelView, query: NewQuery, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new qualification."""
    found = await fetch_nonempty_page(tx, PEOPLE, _build_search(None), reach_of(view))
    options = [*choices.of_people(found.data)]
    if chosen := _find_user_id(query, refusal):
        options += choices.of_people(await selection.find_by_ids(tx, [chosen], reach_of(view)))
    begins = {"user_id": query.user or "", "valid_from": tx.today.isoformat()}
    return view.form(
        "panel/qualifications/form.html",
        refusal,
        begins,
        words.SENTENCES,
        qualification=None,
        people=list(dict.fromkeys(options)),
        back=ADDRESS,
    )


def _find_user_id(query: NewQuery, refusal: Refusal | None) -> UUID | None:
    if refusal is None:
        return query.user
    try:
        return UUID(str(refusal.values.get("user_id")))
    except ValueError:
        return None


@routes.post(
    "/qualifications/new",
    access=WRITE,
    max_body=MAX_BYTES + 64 * 1024,
    prepare=_read,
    refused=new_qualification,
)
async def create_qualification(
    tx: Tx, view: PanelView, form: NewQualificationForm, prepared: Document | None
) -> Answer:
    """Adds a qualification, with its document if there is one."""
    if not await selection.is_within(tx, form.user_id, reach_of(view)):
        raise NotFound("user_not_found")
    if form.valid_until is not None and form.valid_until < form.valid_from:
        raise invalid("valid_until", "ends_before_it_begins")
    made = await actions.create(
        tx,
        NewQualification(
            user_id=form.user_id,
            title=form.title,
            issuing_body=form.issuing_body,
            register_number=form.register_number,
            valid_from=form.valid_from,
            valid_until=form.valid_until,
        ),
    )
    if prepared is not None:
        await actions.store_document(tx, made.id, prepared)
    return view.lead(f"{PEOPLE_PATH}/{made.user_id}/qualifications", N_("The qualification was added."))


async def _get_row(tx: Tx, view: PanelView, qualification_id: UUID) -> ListedQualification:
    """Raises NotFound, also for people out of reach."""
    return await get_row(tx, ROWS, qualification_id, reach_of(view), missing="qualification_not_found")


@routes.get("/qualifications/{qualification_id}", access=WRITE)
async def edit_qualification(
    tx: Tx, view: PanelView, qualification_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows the form to change a qualification."""
    qualification = await _get_row(tx, view, qualification_id)
    return view.form(
        "panel/qualifications/form.html",
        refusal,
        qualification,
        words.SENTENCES,
        qualification=qualification,
        back=f"{PEOPLE_PATH}/{qualification.user_id}/qualifications",
    )


@routes.post(
    "/qualifications/{qualification_id}",
    access=WRITE,
    max_body=MAX_BYTES + 64 * 1024,
    prepare=_read,
    refused=edit_qualification,
)
async def update_qualification(
    tx: Tx, view: PanelView, qualification_id: UUID, form: QualificationForm, prepared: Document | None
) -> Answer:
    """Changes a qualification, and its document if there is a new one."""
    qualification = await _get_row(tx, view, qualification_id)
    update = QualificationUpdate(
        title=form.title,
        issuing_body=form.issuing_body,
        register_number=form.register_number,
        valid_from=form.valid_from,
        valid_until=form.valid_until,
    )
    await actions.change(tx, qualification_id, update)
    if prepared is not None:
        await actions.store_document(tx, qualification_id, prepared)
    return view.lead(f"{PEOPLE_PATH}/{qualification.user_id}/qualifications", N_("The changes were saved."))


@routes.get("/qualifications/{qualification_id}/document", access=READ)
async def download_document(tx: Tx, view: PanelView, qualification_id: UUID) -> Answer:
    """Downloads the document of a qualification."""
    await _get_row(tx, view, qualification_id)
    document = await queries.read_document(tx, qualification_id)
    ending = document.media_type.partition("/")[2]
    disposition = f'attachment; filename="qualification.{ending}"'.encode()
    headers = [(b"content-type", document.media_type.encode()), (b"content-disposition", disposition)]
    return Answer(200, document.content, headers)


QUALIFICATION = Subject(
    routes=routes,
    path="/qualifications/{qualification_id}",
    access=WRITE,
    get=lambda tx, view, qualification_id: _get_row(tx, view, qualification_id),
    name=lambda qualification: qualification.title,
)
QUALIFICATION.ask(
    "remove",
    actions.remove,
    N_("Remove %(name)s"),
    N_("The person can no longer assess with it. Assessments that are signed stay valid."),
    N_("Remove qualification"),
    N_("The qualification %(name)s was removed."),
    gone=True,
)


@routes.get("/people/{user_id}/qualifications", access=READ)
async def show_of_person(tx: Tx, view: PanelView, user_id: UUID) -> Html:
    """Shows what a person is qualified for."""
    user = await selection.get_within(tx, user_id, reach_of(view))
    rows = await list_rows(tx, ROWS, QualificationSearch(user=user_id), reach_of(view), limit=_OF_PERSON)
    return await show_tab(tx, view, "qualifications", user, rows=rows, badges=words.BADGES)
