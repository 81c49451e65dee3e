"""/admin/classes: the list, one class, and the forms to create, change and cancel it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.people.users import selection
from trilha.people.users.reach import EVERYONE
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery
from trilha.training.classes import actions, overlaps, panel_lists, panel_queries, queries
from trilha.training.classes.attendance_lists import queries as attendance_lists
from trilha.training.classes.panel_lists import (
    CLASS_ROWS,
    PEOPLE_OF_CLASS,
    ClassReach,
    ClassSearch,
    ListedClassRow,
    PeopleOfClassQuery,
)
from trilha.training.classes.rules import list_time_zones
from trilha.training.classes.schema import ClassSession, Overlap, TrainingClass
from trilha.training.courses import queries as courses
from trilha.training.meetings import actions as meeting_actions
from trilha.training.meetings import queries as meetings
from trilha.web.panel import choices, lists
from trilha.web.panel.audit import words as audit_words
from trilha.web.panel.choices import Choices, ChoiceSearch
from trilha.web.panel.classes import words
from trilha.web.panel.classes.forms import ClassForm, NewClassForm, ReasonForm, SessionForm
from trilha.web.panel.confirm import Subject
from trilha.web.panel.lists import ACTIONS, Action, Choice, Column, Empty, Table
from trilha.web.panel.people import history
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Classes", "Training at a fixed time: classes, their sessions and people.")
ADDRESS = f"{HOME}/classes"
READ, WRITE = may(Permission.CLASSES_READ), may(Permission.CLASSES_WRITE)
_HISTORY = 20


async def offer_instructors(tx: Tx, view: PanelView, chosen: object = None) -> Choices:
    """Returns the people who are an instructor of any session."""
    found = await panel_lists.list_instructors(tx, reach=reach_of(view))
    options = [(str(each.id), each.name) for each in found]
    return Choices(options, f"{ADDRESS}/instructors" if len(found) > choices.MAX_OPTIONS else "")


CLASSES_TABLE = Table(
    listing=CLASS_ROWS,
    path=ADDRESS,
    title=N_("Classes"),
    row="panel/classes/_row.html",
    values={"statuses": words.STATUSES, "states": words.STATES, "signs": words.SIGNS},
    columns=[
        N_("Class"),
        N_("Next session"),
        N_("Place"),
        Column(N_("People"), numeric=True),
        Column(N_("Waiting"), numeric=True),
        N_("Status"),
    ],
    choices=[
        Choice(name="course", label=N_("Any course"), options=choices.courses),
        Choice(name="when", label=N_("Any time"), options=words.WHEN),
        Choice(name="status", label=N_("Any status"), options=words.FILTERS),
        Choice(name="instructor", label=N_("Any instructor"), options=offer_instructors),
    ],
    counted=NN_("%(num)s class", "%(num)s classes"),
    actions=[
        Action(N_("See calendar"), f"{HOME}/calendar", "calendar-days"),
        Action(N_("Create class"), f"{ADDRESS}/new", "plus", Permission.CLASSES_WRITE, primary=True),
    ],
    empty=Empty(
        N_("No classes yet"),
        N_("A class has a date, a room or a video call, and a list of people. It belongs to a course."),
        "users",
        permission=Permission.CLASSES_WRITE,
        otherwise=Empty(
            N_("No classes yet"),
            N_("Classes appear here once an administrator has scheduled them."),
            "users",
        ),
    ),
)


@routes.get("/classes", access=READ)
async def list_classes(tx: Tx, view: PanelView, query: ClassSearch) -> Html:
    """Lists the classes within reach, newest first."""
    return await lists.show(tx, view, CLASSES_TABLE, query, reach_of(view))


@routes.get("/classes/instructors", access=READ)
async def find_instructors(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Lists the instructors of sessions who match the typed text."""
    found = await panel_lists.list_instructors(tx, query.q, reach_of(view))
    return choices.render_options(view, [(str(each.id), each.name) for each in found])


class NewQuery(Struct, frozen=True, kw_only=True):
    module: UUID | None = None


@routes.get("/classes/new", access=WRITE)
async def choose_module(tx: Tx, view: PanelView, query: NewQuery) -> Html | Answer:
    """Shows the modules that are classes; a chosen one leads to the form."""
    modules = await panel_lists.list_modules(tx)
    chosen = next((each for each in modules if each.id == query.module), None)
    if chosen is not None:
        return view.lead(_build_new_address(chosen.course_id, chosen.id))
    return view.form("panel/classes/choose.html", modules=modules)


def _build_new_address(course_id: UUID, module_id: UUID) -> str:
    return f"{HOME}/courses/{course_id}/modules/{module_id}/classes/new"


async def _find_module(tx: Tx, course_id: UUID, module_id: UUID) -> panel_lists.ClassModule:
    """Raises NotFound."""
    await courses.get(tx, course_id)
    modules = await panel_lists.list_modules(tx, course_id)
    module = next((each for each in modules if each.id == module_id), None)
    if module is None:
        raise NotFound("module_not_found")
    return module


@routes.get("/courses/{course_id}/modules/{module_id}/classes/new", access=WRITE)
async def new_class(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows the form for a new class with its first session."""
    module = await _find_module(tx, course_id, module_id)
    begins: dict[str, object] = {
        "title": module.course_title[:200],
        "maximum_people": 20,
        "waiting_list": "true",
        "time_zone": view.viewer.time_zone,
        "weeks": 1,
    }
    return view.form(
        "panel/classes/new.html",
        refusal,
        begins,
        words.SENTENCES,
        module=module,
        **await load_session_fields(tx, view, course_id, refusal),
    )


@routes.post("/courses/{course_id}/modules/{module_id}/classes/new", access=WRITE, refused=new_class)
async def create_class(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: NewClassForm
) -> Answer:
    """Creates a class with its sessions."""
    await _find_module(tx, course_id, module_id)
    created, warnings = await actions.create(tx, form.build_class(course_id, module_id))
    await request_links(tx, form, created.sessions)
    return lead_to(view, created.id, N_("The class was created."), warnings)


async def request_links(tx: Tx, form: SessionForm, sessions: Sequence[ClassSession]) -> None:
    """Has the chosen service make the links of these sessions. Raises BusinessRule
    (meeting_service_missing).
    """
    if form.meeting_service is not None:
        for each in sessions:
            await meeting_actions.request_link(tx, each.id, form.meeting_service)


def lead_to(
    view: PanelView, class_id: UUID, message: str, warnings: Sequence[Overlap] = (), **values: object
) -> Answer:
    """Redirects to a class. Overlaps are no error, but its page lists them."""
    if not warnings:
        return view.lead(f"{ADDRESS}/{class_id}", message, "ok", **values)
    text = N_("%(done)s It overlaps with other sessions: see the list below.")
    return view.lead(f"{ADDRESS}/{class_id}", text, "warn", done=view.say(message, **values))


async def load_session_fields(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    refusal: Refusal | None,
    session: ClassSession | None = None,
) -> dict[str, Any]:
    """Returns the options of a session's fields: its instructors, those of the course, and other people."""
    teachers = await courses.TEACHERS.list(tx, course_id)
    ids = [each.id for each in teachers]
    ids += session.instructor_ids if session else []
    sent: Any = refusal.values.get("instructor_ids", ()) if refusal else ()
    sent = [sent] if isinstance(sent, str) else sent or ()
    ids += [id for each in sent if (id := _read_id(each))]
    people = await selection.find_by_ids(tx, list(dict.fromkeys(ids)), EVERYONE)
    added = _read_id(refusal.values.get("add_instructor")) if refusal else None
    others = await selection.find_by_ids(tx, [added], EVERYONE) if added else []
    return {
        "instructors": [(str(each.id), each.name, each.email) for each in people],
        "others": choices.of_people(others),
        "services": [
            (each.kind, words.MEETING_SERVICES[each.kind]) for each in await meetings.list_services(tx)
        ],
        "named_zones": [(name, name.replace("_", " ")) for name in sorted(list_time_zones())],
    }


def _read_id(text: object) -> UUID | None:
    try:
        return UUID(str(text))
    except ValueError:
        return None


def build_people_table(row: ListedClassRow, query: PeopleOfClassQuery, view: PanelView) -> Table[Any]:
    waiting, cancelled = query.state == "waitlisted", query.state == "cancelled"
    columns: list[Column | str] = [Column(N_("Place in line"), numeric=True)] if waiting else []
    columns += [N_("Person"), N_("Business unit")]
    columns += [N_("Reason")] if cancelled else [] if waiting else [Column(N_("Presence"), numeric=True)]
    columns.append(N_("Canceled on") if cancelled else N_("Registered on"))
    may_cancel = view.may(Permission.CLASSES_REGISTER) and row.status != "CANCELLED" and not cancelled
    return Table(
        listing=PEOPLE_OF_CLASS,
        path=f"{ADDRESS}/{row.id}",
        title=N_("People"),
        search=N_("Search by name, e-mail, employee number or CPF"),
        row="panel/classes/_person.html",
        columns=[*columns, ACTIONS] if may_cancel else columns,
        counted=NN_("%(num)s person", "%(num)s people"),
        values={"may_cancel": may_cancel},
        empty=_EMPTY_PEOPLE[query.state],
    )


_EMPTY_PEOPLE = {
    "registered": Empty(
        N_("Nobody is registered yet"),
        N_("People register themselves from the page of their course, or you register them here."),
        "users",
    ),
    "waitlisted": Empty(
        N_("Nobody is waiting"), N_("When the class is full, more people wait here in order."), "clock"
    ),
    "cancelled": Empty(N_("No canceled registrations"), "", "circle-check"),
}


@routes.get("/classes/{class_id}", access=READ)
async def show_class(tx: Tx, view: PanelView, class_id: UUID, query: PeopleOfClassQuery) -> Html:
    """Shows a class: its sessions, its people and waiting list, and its history."""
    row = await panel_lists.get_within(tx, class_id, reach_of(view))
    reach = ClassReach(class_id, reach_of(view))
    table = build_people_table(row, query, view)
    if view.page.fragment:
        return await lists.show(tx, view, table, query, reach, row_of_class=row, length=0)
    whole = await queries.get(tx, class_id)
    upcoming = [each for each in whole.sessions if _is_ahead(view, each)]
    found = await overlaps.find_of_sessions(tx, [each.id for each in upcoming]) if upcoming else []
    may_register = view.may(Permission.CLASSES_REGISTER) and row.status != "CANCELLED"
    return await lists.show(
        tx,
        view,
        table,
        query,
        reach,
        template="panel/classes/class.html",
        row_of_class=row,
        whole=whole,
        taught_by=await _name_instructors(tx, view, whole),
        pages_of=await _list_pages(tx, view, whole),
        project_version=await panel_queries.find_project_version(tx, class_id),
        requested=await meetings.list_pending(tx, class_id),
        services=words.MEETING_SERVICES,
        counts=await panel_lists.count_people(tx, reach),
        state=query.state,
        overlaps=await panel_queries.describe_overlaps(tx, found),
        overlap_words=words.OVERLAPS,
        history=await _list_history(tx, view, class_id),
        statuses=words.STATUSES,
        states=words.STATES,
        signs=words.SIGNS,
        may_register=may_register,
        without_class=len(await panel_lists.list_without_class(tx, class_id, reach_of(view), 1001))
        if may_register
        else 0,
    )


def _is_ahead(view: PanelView, session: ClassSession) -> bool:
    return session.status == "SCHEDULED" and session.span[1] > view.page.now


async def _name_instructors(tx: Tx, view: PanelView, whole: TrainingClass) -> dict[UUID, list[str]]:
    """Returns the names of the instructors by session."""
    ids = {id for each in whole.sessions for id in each.instructor_ids}
    names = {each.id: each.name for each in await selection.find_by_ids(tx, ids, EVERYONE)}
    erased = view.say(N_("Personal data erased"))
    return {each.id: [names.get(id, erased) for id in each.instructor_ids] for each in whole.sessions}


async def _list_pages(tx: Tx, view: PanelView, whole: TrainingClass) -> dict[UUID, str]:
    """Returns which pages of each session the viewer opens: `whole` is all of them, `list` the attendance of
    people in their units. Those who teach neither the session nor the course open none.
    """
    viewer = view.viewer
    if not view.may(Permission.COURSES_READ):
        return dict.fromkeys((each.id for each in whole.sessions), "")
    opens_all = viewer.role == "admin" or (
        viewer.role == "instrutor" and await attendance_lists.teaches(tx, viewer.user_id, whole.course_id)
    )
    others = "list" if viewer.role == "gestor" else ""
    return {
        each.id: "whole" if opens_all or viewer.user_id in each.instructor_ids else others
        for each in whole.sessions
    }


async def _list_history(tx: Tx, view: PanelView, class_id: UUID) -> list[history.HistoryEntry]:
    """Lists what happened to a class, newest first, for viewers who may read the audit log."""
    if not view.may(Permission.AUDIT_READ):
        return []
    page = await audit.list_page(tx, AuditQuery(target_id=class_id, limit=_HISTORY))
    words_of = {action: ("info", "circle-dot", label) for action, label in audit_words.ACTIONS.items()}
    return [history.describe(view, each, words_of) for each in page.data]  # type: ignore[arg-type]


@routes.get("/classes/{class_id}/edit", access=WRITE)
async def edit_class(tx: Tx, view: PanelView, class_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form of a class: its title and its places."""
    row = await panel_lists.get_within(tx, class_id, reach_of(view))
    values = {
        "title": row.title,
        "minimum_people": row.minimum_people,
        "maximum_people": row.maximum_people,
        "waiting_list": "true" if row.waiting_list else "",
    }
    return view.form("panel/classes/edit.html", refusal, values, words.SENTENCES, row=row)


@routes.post("/classes/{class_id}/edit", access=WRITE, refused=edit_class)
async def update_class(tx: Tx, view: PanelView, class_id: UUID, form: ClassForm) -> Answer:
    """Changes a class. With more places, whoever waits first moves up."""
    before = await panel_lists.get_within(tx, class_id, reach_of(view))
    after, warnings = await actions.change(tx, class_id, form.build_update())
    if moved := before.waitlisted - after.waitlisted:
        message = N_("The class was saved. People who moved up from the waiting list: %(moved)s.")
        return lead_to(view, class_id, message, warnings, moved=view.number(moved))
    return lead_to(view, class_id, N_("The class was saved."))


async def _cancel(tx: Tx, class_id: UUID, form: ReasonForm) -> None:
    await actions.cancel(tx, class_id, form.reason)


CLASS = Subject(
    routes=routes,
    path="/classes/{class_id}",
    access=WRITE,
    get=lambda tx, view, class_id: panel_lists.get_within(tx, class_id, reach_of(view)),
    name=lambda row: row.title,
)
CLASS.ask(
    "cancel",
    _cancel,
    N_("Cancel the class %(name)s"),
    [
        N_("All its sessions are canceled, and their attendance no longer counts."),
        N_("People stay on the list, so that you know whom to tell. You cannot undo this."),
    ],
    N_("Cancel class"),
    N_("The class was canceled."),
    form=ReasonForm,
    template="panel/classes/cancel.html",
    sentences=words.SENTENCES,
)
