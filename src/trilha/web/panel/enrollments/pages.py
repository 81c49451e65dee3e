"""/admin/enrollments: the list, one enrollment, and the form to enroll one person."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import ApiError, NotFound
from trilha.core.lists import fetch_nonempty_page, fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.people.users import selection
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import PeopleQuery
from trilha.training.certificates.lists import CERTIFICATE_ROWS as CERTIFICATES
from trilha.training.certificates.schema import CertificateSearch, ListedCertificate
from trilha.training.enrollments import actions, queries
from trilha.training.enrollments.enrollers import find_enroller
from trilha.training.enrollments.lists import ENROLLMENT_ROWS
from trilha.training.enrollments.schema import EnrollmentSearch, NewEnrollment
from trilha.training.learning.attempts import results
from trilha.training.learning.attempts.answer_texts import read_answer
from trilha.training.learning.completion import overviews
from trilha.training.learning.review_flags import queries as review_queries
from trilha.web.panel import choices, lists, people_files
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.choices import ChoiceSearch
from trilha.web.panel.courses.forms import DOCUMENTS
from trilha.web.panel.days import end_of_day
from trilha.web.panel.enrollments import bulk, review_words, words
from trilha.web.panel.enrollments.history import list_history
from trilha.web.panel.lists import Action, Bulk, Choice, Column, Download, Empty, Table
from trilha.web.panel.people.page_person import name_person
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Enrollments", "Who takes which course, and their progress.")
ADDRESS = f"{HOME}/enrollments"
READ, WRITE = may(Permission.ENROLLMENTS_READ), may(Permission.ENROLLMENTS_WRITE)

BULK = BulkList(
    routes=routes,
    path="/enrollments",
    title=N_("Enrollments"),
    query=EnrollmentSearch,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
ENROLLMENTS_TABLE = Table(
    listing=ENROLLMENT_ROWS,
    path=ADDRESS,
    title=N_("Enrollments"),
    search=N_("Search by name, e-mail, CPF or employee number"),
    row="panel/enrollments/_row.html",
    columns=[
        N_("Person"),
        N_("Course"),
        N_("Status"),
        Column(N_("Progress"), numeric=True),
        N_("Due date"),
        Column(N_("Enrollment date"), sort="-created"),
        Column(N_("Last change"), sort="-updated"),
    ],
    choices=[
        Choice(name="course", label=N_("Any course"), options=choices.courses),
        Choice(name="status", label=N_("Any status"), options=words.FILTERS),
        Choice(name="unit", label=N_("Any unit"), options=choices.units, more=True),
        Choice(name="group", label=N_("Any group"), options=choices.groups, more=True),
    ],
    values={"statuses": words.STATUSES, "states": words.STATES},
    counted=NN_("%(num)s enrollment", "%(num)s enrollments"),
    download=Download(f"{ADDRESS}.csv"),
    bulk=Bulk(buttons=[*BULK.buttons(), people_files.build_button(f"{ADDRESS}/export")]),
    actions=[
        Action(N_("Enrollment requests"), f"{ADDRESS}/requests", "user-check", Permission.ENROLLMENTS_WRITE),
        Action(N_("Bulk enroll"), f"{ADDRESS}/many", "users", Permission.ENROLLMENTS_WRITE),
        Action(N_("Enroll person"), f"{ADDRESS}/new", "plus", Permission.ENROLLMENTS_WRITE, primary=True),
    ],
    empty=Empty(
        N_("No enrollments yet"),
        N_("Enroll one person in a course, or a whole unit or group at once."),
        "graduation-cap",
        permission=Permission.ENROLLMENTS_WRITE,
        otherwise=Empty(
            N_("No enrollments yet"),
            N_("People enrolled in the courses you teach appear here."),
            "graduation-cap",
        ),
    ),
)


class NewQuery(Struct, frozen=True, forbid_unknown_fields=True):
    user: UUID | None = None
    course: UUID | None = None
    q: Annotated[str, Meta(max_length=200)] | None = None


class OnePerson(Struct, frozen=True):
    """`expires_at` is the last day, until its end in the tenant's time zone."""

    user_id: UUID
    course_id: UUID
    expires_at: date | None = None


@routes.get("/enrollments", access=READ)
async def list_enrollments(tx: Tx, view: PanelView, query: EnrollmentSearch) -> Html:
    """Lists the enrollments of the people within reach."""
    return await lists.show(
        tx,
        view,
        ENROLLMENTS_TABLE,
        query,
        reach_of(view),
        named=await name_person(tx, view, query.user),
        sortable=query.status not in words.STATUSES_WITH_ORDER,
    )


@routes.get("/enrollments/people", access=WRITE)
async def offer_people(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Options of the person field: active people within reach who match the typed text."""
    people = await fetch_nonempty_page(tx, PEOPLE, _build_search(query.q), reach_of(view))
    return choices.render_options(view, choices.of_people(people.data))


def _build_search(typed: str | None) -> PeopleQuery:
    return PeopleQuery(q=typed or None, status="ACTIVE", limit=50)


@routes.get("/enrollments/new", access=WRITE)
async def new_enrollment(tx: Tx, view: PanelView, query: NewQuery, refusal: Refusal | None = None) -> Html:
    """Shows the form: person, course and due date."""
    found = await fetch_nonempty_page(tx, PEOPLE, _build_search(query.q), reach_of(view))
    options = [*choices.of_people(found.data)]
    course = refusal.values.get("course_id") if refusal else query.course
    if user_id := _find_user_id(query, refusal):
        chosen = await selection.find_by_ids(tx, [user_id], reach_of(view))
        options += choices.of_people(chosen)
    detail: Any = refusal.failure.detail if refusal and isinstance(refusal.failure, ApiError) else {}
    detail = detail if isinstance(detail, dict) else {}
    return view.form(
        "panel/enrollments/new.html",
        refusal,
        {"user_id": query.user, "course_id": query.course},
        words.SENTENCES,
        people=list(dict.fromkeys(options)),
        courses=await choices.courses(tx, view, course, published=True),
        q=query.q or "",
        missing=[DOCUMENTS[document] for document in detail.get("missing_fields", ())],
        existing=detail.get("existing_enrollment"),
        user_id=user_id,
    )


def _find_user_id(query: NewQuery, refusal: Refusal | None) -> UUID | None:
    if refusal is None:
        return query.user
    try:
        return UUID(str(refusal.values.get("user_id")))
    except ValueError:
        return None


@routes.post("/enrollments/new", access=WRITE, refused=new_enrollment)
async def create_enrollment(tx: Tx, view: PanelView, form: OnePerson) -> Answer:
    """Enrolls one person within reach. Raises NotFound for anybody else."""
    if not await selection.is_within(tx, form.user_id, reach_of(view)):
        raise NotFound("user_not_found")
    new = NewEnrollment(
        user_id=form.user_id,
        course_id=form.course_id,
        expires_at=end_of_day(form.expires_at, view, "expires_at"),
    )
    enrollment = await actions.enroll(tx, new)
    listed = await queries.get_listed(tx, enrollment.id, reach_of(view))
    message = N_("%(name)s was enrolled in %(course)s.")
    return view.lead(f"{ADDRESS}/{enrollment.id}", message, name=listed.user_name, course=listed.course_title)


@routes.get("/enrollments/{enrollment_id}", access=READ)
async def show_enrollment(tx: Tx, view: PanelView, enrollment_id: UUID) -> Html:
    """Shows one enrollment, its history, and the person's other enrollments in the course."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    enroller = await find_enroller(tx, enrollment_id, enrollment.created_at)
    search = EnrollmentSearch(user=enrollment.user_id, course=enrollment.course_id)
    others = (await fetch_page(tx, ENROLLMENT_ROWS, search, reach_of(view))).data
    flags = await review_queries.list_flags(tx, enrollment_id)
    overview = await overviews.get_overview(tx, enrollment_id, enrollment.course_id)
    return view.show(
        "panel/enrollments/enrollment.html",
        enrollment=enrollment,
        modules=overview.modules,
        types=words.MODULE_TYPES,
        criteria=overview.criteria,
        titles={module.id: module.title for module in overview.modules},
        history=list(list_history(enrollment, enroller)),
        certificates=await _list_certificates(tx, view, enrollment_id),
        now=Timestamp.of(tx.now),
        others=[other for other in others if other.id != enrollment_id],
        flags=[(flag, review_words.describe_flag(view, flag)) for flag in flags],
        flag_titles=review_words.TITLES,
        statuses=words.STATUSES,
        states=words.STATES,
    )


async def _list_certificates(tx: Tx, view: PanelView, enrollment_id: UUID) -> Sequence[ListedCertificate]:
    """The enrollment's certificate, and those that it replaced."""
    if not view.may(Permission.CERTIFICATES_READ):
        return ()
    search = CertificateSearch(enrollment=enrollment_id)
    return (await fetch_page(tx, CERTIFICATES, search, reach_of(view))).data


@routes.get("/enrollments/{enrollment_id}/results", access=READ)
async def show_results(tx: Tx, view: PanelView, enrollment_id: UUID, query: ListQuery) -> Html:
    """Shows the attempts at each module, and the answers beside the correct ones."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    page = await results.get_results(tx, enrollment_id, query.cursor)
    shown = dict.fromkeys(page.modules, "answers")
    return view.show(
        "panel/enrollments/results.html",
        enrollment=enrollment,
        shown=shown,
        results=page,
        read_answer=read_answer,
    )
