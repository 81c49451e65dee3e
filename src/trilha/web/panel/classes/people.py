"""Registers people in a class, one or many, and cancels registrations."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import fetch_nonempty_page, find_row
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.people.users import selection
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import PeopleQuery
from trilha.training.classes import bulk, panel_lists, registering
from trilha.training.classes.panel_lists import PEOPLE_OF_CLASS, ClassReach, ListedClassRow, PersonOfClass
from trilha.training.classes.rules import MAX_ENTRIES
from trilha.training.classes.schema import BulkRegistrationError, BulkRegistrationResult
from trilha.web.panel import choices, people_picker
from trilha.web.panel.choices import ChoiceSearch
from trilha.web.panel.classes import words
from trilha.web.panel.classes.forms import OptionalReasonForm
from trilha.web.panel.classes.pages import ADDRESS, WRITE, lead_to
from trilha.web.panel.confirm import Button, Subject
from trilha.web.panel.people_picker import ChosenPeople, PeopleSearch
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("People of classes", "Who has a place in a class, and who waits for one.")
REGISTER = may(Permission.CLASSES_REGISTER)


class OnePerson(Struct, frozen=True):
    user_id: UUID


async def _get(tx: Tx, view: PanelView, class_id: UUID) -> ListedClassRow:
    return await panel_lists.get_within(tx, class_id, reach_of(view))


@routes.get("/classes/people", access=WRITE)
async def offer_people(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Options of the field for an instructor: active people who match the typed text."""
    search = PeopleQuery(q=query.q or None, status="ACTIVE", limit=50)
    found = await fetch_nonempty_page(tx, PEOPLE, search, reach_of(view))
    return choices.render_options(view, choices.of_people(found.data))


@routes.get("/classes/{class_id}/register", access=REGISTER)
async def ask_person(tx: Tx, view: PanelView, class_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form that registers one person."""
    row = await _get(tx, view, class_id)
    search = PeopleQuery(status="ACTIVE", limit=50)
    found = await fetch_nonempty_page(tx, PEOPLE, search, reach_of(view))
    options = [*choices.of_people(found.data)]
    if refusal and (user_id := _read_id(refusal.values.get("user_id"))):
        options += choices.of_people(await selection.find_by_ids(tx, [user_id], reach_of(view)))
    return view.form(
        "panel/classes/register.html",
        refusal,
        {},
        words.SENTENCES,
        row=row,
        people=list(dict.fromkeys(options)),
    )


def _read_id(text: object) -> UUID | None:
    try:
        return UUID(str(text))
    except ValueError:
        return None


@routes.post("/classes/{class_id}/register", access=REGISTER, refused=ask_person)
async def register_person(tx: Tx, view: PanelView, class_id: UUID, form: OnePerson) -> Answer:
    """Registers one person within reach. Raises NotFound for anybody else."""
    await _get(tx, view, class_id)
    if not await selection.is_within(tx, form.user_id, reach_of(view)):
        raise NotFound("user_not_found")
    made, warnings = await registering.register(tx, class_id, form.user_id)
    message = (
        N_("The person is registered.")
        if made.status == "REGISTERED"
        else N_("The class is full. The person is on the waiting list.")
    )
    return lead_to(view, class_id, message, warnings)


@routes.get("/classes/{class_id}/register-many", access=REGISTER)
async def choose_people(
    tx: Tx, view: PanelView, class_id: UUID, query: PeopleSearch, refusal: Refusal | None = None
) -> Html:
    """Shows the person picker with active people to register."""
    row = await _get(tx, view, class_id)
    path = f"{ADDRESS}/{class_id}/register-many"
    return await people_picker.show(
        tx,
        view,
        query,
        people_picker.table(path, N_("People to register"), N_("Register people")),
        template="panel/classes/candidates.html",
        refusal=refusal,
        sentences={"out_of_range": N_("Choose up to 10,000 people.")},
        row=row,
    )


@routes.post("/classes/{class_id}/register-many", access=REGISTER, refused=choose_people)
async def register_chosen(tx: Tx, view: PanelView, class_id: UUID, form: ChosenPeople) -> Answer:
    """Registers the selected people, or all who match the search."""
    row = await _get(tx, view, class_id)
    ids = await people_picker.find_chosen(tx, view, form)
    if not ids:
        address = f"{ADDRESS}/{class_id}/register-many"
        return view.lead(address, N_("Nobody was registered. Select people first."), "warn")
    return await _register(tx, view, row, ids)


@routes.post("/classes/{class_id}/register-enrolled", access=REGISTER)
async def register_enrolled(tx: Tx, view: PanelView, class_id: UUID, form: Button) -> Answer:
    """Registers the people within reach who are enrolled in the course, also by a requirement, and have no
    class yet.
    """
    row = await _get(tx, view, class_id)
    ids = await panel_lists.list_without_class(tx, class_id, reach_of(view), people_picker.MAX_PEOPLE)
    if not ids:
        return view.lead(f"{ADDRESS}/{class_id}", N_("Everybody enrolled has a class already."))
    return await _register(tx, view, row, ids)


async def _register(tx: Tx, view: PanelView, row: ListedClassRow, ids: Sequence[UUID]) -> Answer:
    """Registers people. If some could not be registered, shows them."""
    result, overlapping = await _register_in_parts(tx, row.id, ids)
    if result.failed:
        people = await selection.find_by_ids(tx, [each.user_id for each in result.errors], reach_of(view))
        names = {each.id: each.name for each in people}
        reasons = [
            (names.get(each.user_id, ""), words.REASONS.get(each.code, each.message))
            for each in result.errors
        ]
        return view.show("panel/classes/result.html", row=row, result=result, reasons=reasons)
    message = N_("Registered: %(registered)s. On the waiting list: %(waitlisted)s. Already in: %(skipped)s.")
    text = view.say(
        message,
        registered=view.number(result.registered),
        waitlisted=view.number(result.waitlisted),
        skipped=view.number(result.skipped),
    )
    if overlapping:
        return view.lead(
            f"{ADDRESS}/{row.id}",
            N_("%(done)s Some of them are in another session at the same time: see the list below."),
            "warn",
            done=text,
        )
    return view.lead(f"{ADDRESS}/{row.id}", "%(done)s", done=text)


async def _register_in_parts(
    tx: Tx, class_id: UUID, ids: Sequence[UUID]
) -> tuple[BulkRegistrationResult, bool]:
    """Registers any number of people, and returns the result of all, and whether any overlap."""
    counts = dict.fromkeys(("registered", "waitlisted", "skipped", "failed"), 0)
    errors: list[BulkRegistrationError] = []
    overlapping = False
    for start in range(0, len(ids), MAX_ENTRIES):
        part, warnings = await bulk.register_all(tx, class_id, ids[start : start + MAX_ENTRIES])
        errors += part.errors
        overlapping = overlapping or bool(warnings)
        for name in counts:
            counts[name] += getattr(part, name)
    return BulkRegistrationResult(**counts, errors=errors), overlapping


class RegistrationOfClass(Struct, frozen=True):
    """A registration with its class."""

    row: ListedClassRow
    person: PersonOfClass


async def _find_person(tx: Tx, view: PanelView, class_id: UUID, registration_id: UUID) -> RegistrationOfClass:
    """Raises NotFound, also for a person out of reach."""
    row = await _get(tx, view, class_id)
    reach = ClassReach(class_id, reach_of(view))
    person = await find_row(tx, PEOPLE_OF_CLASS, registration_id, reach)
    if person is None:
        raise NotFound("registration_not_found")
    return RegistrationOfClass(row, person)


async def _cancel(tx: Tx, class_id: UUID, registration_id: UUID, form: OptionalReasonForm) -> None:
    await registering.cancel(tx, class_id, registration_id, form.reason)


REGISTRATION = Subject(
    routes=routes,
    path="/classes/{class_id}/people/{registration_id}",
    access=REGISTER,
    get=_find_person,
    name=lambda registration: registration.person.user_name,
    trail=lambda view, registration: [(registration.row.title, f"{ADDRESS}/{registration.row.id}")],
)
REGISTRATION.ask(
    "cancel",
    _cancel,
    N_("Cancel the registration of %(name)s"),
    N_("Whoever waits first gets the place. The person stays enrolled in the course."),
    N_("Cancel registration"),
    N_("The registration of %(name)s was canceled."),
    form=OptionalReasonForm,
    template="panel/classes/cancel_registration.html",
    sentences=words.SENTENCES,
)
