"""/admin/enrollments/many: enrolls everyone who matches a search, or a list of e-mail addresses."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Invalid, invalid
from trilha.core.lists import list_ids
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.answers import Html
from trilha.core.web.parsing import convert
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_
from trilha.people.people_import.workbooks import WorkbookReader
from trilha.people.users import selection
from trilha.people.users.lists import PEOPLE
from trilha.training.courses import queries as courses
from trilha.training.courses.schema import Course
from trilha.training.enrollments import bulk
from trilha.training.enrollments.bulk import MAX_PEOPLE
from trilha.training.enrollments.schema import BulkResult
from trilha.web.panel import choices, emails, people_picker
from trilha.web.panel.choices import Choices
from trilha.web.panel.days import end_of_day
from trilha.web.panel.emails import Emails
from trilha.web.panel.enrollments import words
from trilha.web.panel.enrollments.pages import ADDRESS, WRITE
from trilha.web.panel.lists import Choice
from trilha.web.panel.people_picker import FILTERS, PeopleFilters, PeopleSearch
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Enrolling many", "Many people in one course.")
MANY = f"{ADDRESS}/many"
# How many people who could not be enrolled are listed by name.
_MAX_PROBLEMS = 500


_CANDIDATES = people_picker.table(MANY, N_("People"), "")
PEOPLE_TABLE = structs.replace(
    _CANDIDATES,
    choices=[*_CANDIDATES.choices, Choice(name="group", label=N_("Any group"), options=choices.groups)],
    head="panel/enrollments/_enroll.html",
    values={"names": FILTERS, "at_once": MAX_PEOPLE},
    bulk=None,
)


class Filters(PeopleSearch, frozen=True, kw_only=True):
    course: UUID | None = None


class MatchingPeople(PeopleFilters, frozen=True, kw_only=True):
    """All active people who match the search, MAX_PEOPLE at a time, starting after the cursor `after`."""

    course_id: UUID
    expires_at: date | None = None
    after: Annotated[str, Meta(max_length=1000)] | None = None


class ListedPeople(Struct, frozen=True, kw_only=True):
    """The people with these e-mail addresses, typed or in a file or both."""

    course_id: UUID
    expires_at: date | None = None
    emails: Annotated[str, Meta(max_length=500_000, extra_json_schema=STORABLE)] = ""
    file: UploadedFile | None = None


class FromCourse(Struct, frozen=True, forbid_unknown_fields=True):
    course: UUID | None = None


class Problem(Struct, frozen=True):
    """Somebody who could not be enrolled. `reason` is a msgid."""

    who: str
    email: str
    reason: str
    user_id: UUID | None = None


@routes.get("/enrollments/many", access=WRITE)
async def find_people(tx: Tx, view: PanelView, query: Filters, refusal: Refusal | None = None) -> Html:
    """Shows the filters and the people who match them."""
    if refusal is not None:
        query = _read_filters(refusal, tx.today)
    course = _find_course_id(query, refusal)
    is_whole_page = not view.page.fragment
    return await people_picker.show(
        tx,
        view,
        query,
        PEOPLE_TABLE,
        template="panel/enrollments/bulk_enroll.html",
        refusal=refusal,
        begins={"course_id": query.course},
        sentences=words.SENTENCES,
        courses=await choices.courses(tx, view, course, published=True) if is_whole_page else Choices(),
    )


def _find_course_id(query: Filters | FromCourse, refusal: Refusal | None) -> object:
    return refusal.values.get("course_id") if refusal else query.course


def _read_filters(refusal: Refusal, today: date) -> Filters:
    """The filters of a refused form."""
    values: dict[str, Any] = {name: refusal.values[name] for name in FILTERS if name in refusal.values}
    with suppress(Invalid):
        return convert(Filters, values, today, strict=False)
    return Filters()


@routes.post("/enrollments/many", access=WRITE, refused=find_people)
async def enroll_matching(view: PanelView, form: MatchingPeople) -> Html:
    """Enrolls up to MAX_PEOPLE of them and shows the result, with a button to continue."""
    async with view.reading() as tx:
        course = await _get_published_course(tx, form.course_id)
        expires_at = _read_due_date(tx, form.expires_at, view)
        search = people_picker.active_people(form, form.after)
        ids, after = await list_ids(tx, PEOPLE, search, reach_of(view), limit=MAX_PEOPLE)
    if not ids:
        raise invalid("q", "required")
    result = await _enroll(view, ids, course, expires_at)
    rest = structs.asdict(form) | {"after": after} if after else {}
    return await _show_result(view, course, result, [], rest)


@routes.get("/enrollments/many/emails", access=WRITE)
async def ask_emails(tx: Tx, view: PanelView, query: FromCourse, refusal: Refusal | None = None) -> Html:
    """Shows the form for e-mail addresses, typed or in a file."""
    values = {"courses": await choices.courses(tx, view, _find_course_id(query, refusal), published=True)}
    fields = {"course_id": query.course}
    return view.form("panel/enrollments/emails.html", refusal, fields, words.SENTENCES, **values)


@routes.post("/enrollments/many/emails", access=WRITE, refused=ask_emails, max_body=8 * MIB)
async def enroll_listed(view: PanelView, form: ListedPeople, workbooks: WorkbookReader) -> Html:
    """Enrolls the people with these addresses and shows the result."""
    addresses = await _read_addresses(form, workbooks, view.tenant_id)
    async with view.reading() as tx:
        course = await _get_published_course(tx, form.course_id)
        expires_at = _read_due_date(tx, form.expires_at, view)
        people = await selection.find_by_emails(tx, addresses.good, reach_of(view))
    known = {person.email for person in people}
    unknown = [email for email in addresses.good if email not in known]
    problems = [Problem("", email, words.REASONS["invalid_email"]) for email in addresses.bad]
    problems += [Problem("", email, words.REASONS["unknown_email"]) for email in unknown]
    result = await _enroll(view, [person.id for person in people], course, expires_at)
    return await _show_result(view, course, result, problems)


async def _read_addresses(form: ListedPeople, workbooks: WorkbookReader, tenant_id: UUID) -> Emails:
    """The addresses of the text and the file. Raises Invalid (required, out_of_range)."""
    addresses = await asyncio.to_thread(emails.from_text, form.emails)
    if form.file is not None:
        sent = await asyncio.to_thread(form.file.path.read_bytes)
        raw, dialect = await workbooks.read(tenant_id, sent)
        addresses = emails.together(addresses, await asyncio.to_thread(emails.from_csv, raw, dialect))
    if not addresses.good and not addresses.bad:
        raise invalid("emails", "required")
    if len(addresses.good) + len(addresses.bad) > MAX_PEOPLE:
        raise invalid("emails", "out_of_range")
    return addresses


async def _get_published_course(tx: Tx, course_id: UUID) -> Course:
    """Raises NotFound, and BusinessRule (course_not_published)."""
    course = await courses.get(tx, course_id)
    if course.status != "PUBLISHED":
        raise BusinessRule("course_not_published")
    return course


def _read_due_date(tx: Tx, day: date | None, view: PanelView) -> Timestamp | None:
    """Raises Invalid (not_in_future) once for everyone, instead of for each person."""
    expires_at = end_of_day(day, view, "expires_at")
    if expires_at is not None and expires_at <= Timestamp.of(tx.now):
        raise invalid("expires_at", "not_in_future")
    return expires_at


async def _enroll(
    view: PanelView, ids: Sequence[UUID], course: Course, expires_at: Timestamp | None
) -> BulkResult:
    actor = view.caller.actor
    return await bulk.enroll_people(view.database, view.tenant_id, actor, ids, course.id, expires_at)


async def _show_result(
    view: PanelView,
    course: Course,
    result: BulkResult,
    unresolved: Sequence[Problem],
    rest: Mapping[str, object] | None = None,
) -> Html:
    """Shows how many people were enrolled, how many were before, and each problem.

    `unresolved` are addresses without a person. `rest` is the form that continues with the next people.
    """
    errors = result.errors[:_MAX_PROBLEMS]
    async with view.reading() as tx:
        people = await selection.find_by_ids(tx, [error.user_id for error in errors], reach_of(view))
    people_by_id = {person.id: person for person in people}
    reasons: dict[str, int] = {}
    for reason in [
        *(problem.reason for problem in unresolved),
        *(words.REASONS[error.code] for error in result.errors),
    ]:
        reasons[reason] = reasons.get(reason, 0) + 1
    problems = [
        *unresolved,
        *(
            Problem(person.name, person.email, words.REASONS[error.code], person.id)
            for error in errors
            if (person := people_by_id.get(error.user_id))
        ),
    ]
    return view.show(
        "panel/enrollments/result.html",
        course=course,
        result=result,
        failed=len(unresolved) + result.failed,
        reasons=sorted(reasons.items(), key=lambda reason: -reason[1]),
        problems=problems[:_MAX_PROBLEMS],
        rest=rest,
        at_once=MAX_PEOPLE,
    )
