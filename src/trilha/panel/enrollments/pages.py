"""/admin/enrollments: the list, one of them, and enrolling one person."""

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct

from trilha.certificates.lists import LISTED as CERTIFICATES
from trilha.certificates.schema import CertificateSearch, ListedCertificate
from trilha.core.database import Tx
from trilha.core.errors import ApiError, NotFound, invalid
from trilha.core.lists import fetch_page, page_in_time
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.enrollments import actions, queries
from trilha.enrollments.enrollers import find_enroller
from trilha.enrollments.lists import LISTED
from trilha.enrollments.schema import EnrollmentSearch, NewEnrollment
from trilha.learning.attempts import results
from trilha.learning.completion import overviews
from trilha.learning.reviews import queries as review_queries
from trilha.pages import N_, NN_
from trilha.panel import choices, lists
from trilha.panel.choices import Typed
from trilha.panel.courses.forms import DOCUMENTS
from trilha.panel.enrollments import review_words, words
from trilha.panel.enrollments.history import history
from trilha.panel.lists import Action, Choice, Column, Download, Empty, Table
from trilha.panel.people.found import name_person
from trilha.panel.reach import reach_of
from trilha.panel.view import HOME, PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users import selection
from trilha.users.lists import PEOPLE
from trilha.users.schema import PeopleQuery

routes = Routes("Enrollments", "Who takes which course, and how far they are.")
ADDRESS = f"{HOME}/enrollments"
READ, WRITE = may(Permission.ENROLLMENTS_READ), may(Permission.ENROLLMENTS_WRITE)
_LAST_YEAR = 9000  # of the end of a day there is a moment in UTC


ENROLLMENTS_TABLE = Table(
    listing=LISTED,
    path=ADDRESS,
    title=N_("Enrollments"),
    search=N_("Search by name, e-mail, CPF or employee number"),
    row="panel/enrollments/_row.html",
    columns=[
        N_("Person"),
        N_("Course"),
        N_("Status"),
        Column(N_("Progress"), numeric=True),
        N_("Expires"),
        Column(N_("Enrolled on"), sort="-created"),
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
    actions=[
        Action(N_("Enroll many"), f"{ADDRESS}/many", "users", Permission.ENROLLMENTS_WRITE),
        Action(N_("Enroll person"), f"{ADDRESS}/new", "plus", Permission.ENROLLMENTS_WRITE, primary=True),
    ],
    empty=Empty(
        N_("Nobody is enrolled yet"),
        N_("Enroll a person in a course, or a whole unit or group at once."),
        "graduation-cap",
        permission=Permission.ENROLLMENTS_WRITE,
        otherwise=Empty(
            N_("Nobody is enrolled yet"),
            N_("People who are enrolled in a course that you teach appear here."),
            "graduation-cap",
        ),
    ),
)


class Beginning(Struct, frozen=True, forbid_unknown_fields=True):
    user: UUID | None = None
    course: UUID | None = None
    q: Annotated[str, Meta(max_length=200)] | None = None


class OnePerson(Struct, frozen=True):
    """`expires_at` is the last day, to its end in the tenant's time zone."""

    user_id: UUID
    course_id: UUID
    expires_at: date | None = None


def end_of(day: date | None, view: PanelView) -> Timestamp | None:
    """The last second of a day. Raises Invalid."""
    if day is None:
        return None
    if day.year > _LAST_YEAR:
        raise invalid("expires_at", "invalid_date")
    return Timestamp.of(datetime.combine(day, time(23, 59, 59), ZoneInfo(view.viewer.time_zone)))


@routes.get("/enrollments", access=READ)
async def list_enrollments(tx: Tx, view: PanelView, query: EnrollmentSearch) -> Html:
    """The enrollments of the people within reach."""
    return await lists.show(
        tx,
        view,
        ENROLLMENTS_TABLE,
        query,
        reach_of(view),
        named=await name_person(tx, view, query.user),
        sortable=query.status not in words.ORDERED,
    )


@routes.get("/enrollments/people", access=WRITE)
async def offer_people(tx: Tx, view: PanelView, query: Typed) -> Html:
    """The active people within reach, for what is typed."""
    found = await page_in_time(tx, PEOPLE, _active(query.q), reach_of(view))
    return choices.offered(view, choices.of_people(found.data))


def _active(typed: str | None) -> PeopleQuery:
    return PeopleQuery(q=typed or None, status="ACTIVE", limit=50)


@routes.get("/enrollments/new", access=WRITE)
async def new_enrollment(tx: Tx, view: PanelView, query: Beginning, refusal: Refusal | None = None) -> Html:
    """Ask for person, course and last day."""
    found = await page_in_time(tx, PEOPLE, _active(query.q), reach_of(view))
    options = [*choices.of_people(found.data)]
    course = refusal.values.get("course_id") if refusal else query.course
    if wanted := _wanted(query, refusal):
        chosen = await selection.find_by_ids(tx, [wanted], reach_of(view))
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
        missing=[DOCUMENTS[each] for each in detail.get("missing_fields", ())],
        existing=detail.get("existing_enrollment"),
        wanted=wanted,
    )


def _wanted(query: Beginning, refusal: Refusal | None) -> UUID | None:
    if refusal is None:
        return query.user
    try:
        return UUID(str(refusal.values.get("user_id")))
    except ValueError:
        return None


@routes.post("/enrollments/new", access=WRITE, refused=new_enrollment)
async def create_enrollment(tx: Tx, view: PanelView, form: OnePerson) -> Answer:
    """Enroll one person within reach."""
    if not await selection.is_within(tx, form.user_id, reach_of(view)):
        raise NotFound("user_not_found")
    new = NewEnrollment(
        user_id=form.user_id, course_id=form.course_id, expires_at=end_of(form.expires_at, view)
    )
    enrollment = await actions.enroll(tx, new)
    shown = await queries.get_listed(tx, enrollment.id, reach_of(view))
    message = N_("%(name)s was enrolled in %(course)s.")
    return view.lead(f"{ADDRESS}/{enrollment.id}", message, name=shown.user_name, course=shown.course_title)


@routes.get("/enrollments/{enrollment_id}", access=READ)
async def show_enrollment(tx: Tx, view: PanelView, enrollment_id: UUID) -> Html:
    """One enrollment, what happened to it, and the person's others in the course."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    enroller = await find_enroller(tx, enrollment_id, enrollment.created_at)
    of_both = EnrollmentSearch(user=enrollment.user_id, course=enrollment.course_id)
    others = (await fetch_page(tx, LISTED, of_both, reach_of(view))).data
    flags = await review_queries.list_flags(tx, enrollment_id)
    seen = await overviews.get_overview(tx, enrollment_id, enrollment.course_id)
    return view.show(
        "panel/enrollments/enrollment.html",
        enrollment=enrollment,
        modules=seen.modules,
        types=words.MODULE_TYPES,
        criteria=seen.criteria,
        titles={each.id: each.title for each in seen.modules},
        history=list(history(enrollment, enroller)),
        certificates=await _certificates(tx, view, enrollment_id),
        now=Timestamp.of(tx.now),
        others=[each for each in others if each.id != enrollment_id],
        flags=[(each, review_words.told(view, each)) for each in flags],
        flag_titles=review_words.TITLES,
        statuses=words.STATUSES,
        states=words.STATES,
    )


async def _certificates(tx: Tx, view: PanelView, enrollment_id: UUID) -> Sequence[ListedCertificate]:
    """The one that was issued for it, and those that it replaced."""
    if not view.may(Permission.CERTIFICATES_READ):
        return ()
    asked = CertificateSearch(enrollment=enrollment_id)
    return (await fetch_page(tx, CERTIFICATES, asked, reach_of(view))).data


@routes.get("/enrollments/{enrollment_id}/results", access=READ)
async def show_results(tx: Tx, view: PanelView, enrollment_id: UUID, query: ListQuery) -> Html:
    """What came of one enrollment: tries at modules, and answers with the right ones."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    found = await results.get_results(tx, enrollment_id, query.cursor)
    shown = dict.fromkeys(found.modules, "answers")
    return view.show("panel/enrollments/results.html", enrollment=enrollment, shown=shown, results=found)
