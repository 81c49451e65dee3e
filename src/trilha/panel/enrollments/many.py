"""/admin/enrollments/many: enrolling all whom a search finds, or those of a list of e-mail addresses."""

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
from trilha.courses import queries as courses
from trilha.courses.schema import Course
from trilha.enrollments import bulk
from trilha.enrollments.bulk import MOST
from trilha.enrollments.schema import BulkResult
from trilha.pages import N_
from trilha.panel import choices, emails, people_picker
from trilha.panel.choices import Choices
from trilha.panel.emails import Emails
from trilha.panel.enrollments import words
from trilha.panel.enrollments.pages import ADDRESS, WRITE, end_of
from trilha.panel.lists import Choice
from trilha.panel.people_picker import FILTERS, PeopleFilters, PeopleSearch
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.users import selection
from trilha.users.lists import PEOPLE

routes = Routes("Enrolling many", "Many people in one course.")
MANY = f"{ADDRESS}/many"
# So many of the people who were not enrolled are shown by name.
_SHOWN = 500


_CANDIDATES = people_picker.table(MANY, N_("People"), "")
PEOPLE_TABLE = structs.replace(
    _CANDIDATES,
    choices=[*_CANDIDATES.choices, Choice(name="group", label=N_("Any group"), options=choices.groups)],
    head="panel/enrollments/_enroll.html",
    values={"names": FILTERS, "at_once": MOST},
    bulk=None,
)


class Filters(PeopleSearch, frozen=True, kw_only=True):
    course: UUID | None = None


class FoundPeople(PeopleFilters, frozen=True, kw_only=True):
    """All active people whom the search finds, MOST at a time: those `after` the last of the time before."""

    course_id: UUID
    expires_at: date | None = None
    after: Annotated[str, Meta(max_length=1000)] | None = None


class ListedPeople(Struct, frozen=True, kw_only=True):
    """Those of these addresses, typed or in a file or both."""

    course_id: UUID
    expires_at: date | None = None
    emails: Annotated[str, Meta(max_length=500_000, extra_json_schema=STORABLE)] = ""
    file: UploadedFile | None = None


class FromCourse(Struct, frozen=True, forbid_unknown_fields=True):
    course: UUID | None = None


class Left(Struct, frozen=True):
    """Somebody who was not enrolled. `reason` is a msgid."""

    who: str
    email: str
    reason: str
    user_id: UUID | None = None


@routes.get("/enrollments/many", access=WRITE)
async def find_people(tx: Tx, view: PanelView, query: Filters, refusal: Refusal | None = None) -> Html:
    """Choose people by filters, unit or group."""
    if refusal is not None:
        query = _sent(refusal, tx.today)
    course = _course(query, refusal)
    whole = not view.page.fragment
    return await people_picker.show(
        tx,
        view,
        query,
        PEOPLE_TABLE,
        template="panel/enrollments/many.html",
        refusal=refusal,
        begins={"course_id": query.course},
        sentences=words.SENTENCES,
        courses=await choices.courses(tx, view, course, published=True) if whole else Choices(),
    )


def _course(query: Filters | FromCourse, refusal: Refusal | None) -> object:
    return refusal.values.get("course_id") if refusal else query.course


def _sent(refusal: Refusal, today: date) -> Filters:
    """The filters that a refused form had."""
    sent: dict[str, Any] = {name: refusal.values[name] for name in FILTERS if name in refusal.values}
    with suppress(Invalid):
        return convert(Filters, sent, today, strict=False)
    return Filters()


@routes.post("/enrollments/many", access=WRITE, refused=find_people)
async def enroll_found(view: PanelView, form: FoundPeople) -> Html:
    """Enroll all of them, and tell how it went."""
    async with view.reading() as tx:
        course = await _open_course(tx, form.course_id)
        expires_at = _expiry(tx, form.expires_at, view)
        found = people_picker.active_people(form, form.after)
        ids, after = await list_ids(tx, PEOPLE, found, reach_of(view), most=MOST)
    if not ids:
        raise invalid("q", "required")
    result = await _enroll(view, ids, course, expires_at)
    rest = structs.asdict(form) | {"after": after} if after else {}
    return await _tell(view, course, result, [], rest)


@routes.get("/enrollments/many/emails", access=WRITE)
async def ask_emails(tx: Tx, view: PanelView, query: FromCourse, refusal: Refusal | None = None) -> Html:
    """Ask for e-mail addresses, or a file of them."""
    values = {"courses": await choices.courses(tx, view, _course(query, refusal), published=True)}
    begins = {"course_id": query.course}
    return view.form("panel/enrollments/emails.html", refusal, begins, words.SENTENCES, **values)


@routes.post("/enrollments/many/emails", access=WRITE, refused=ask_emails, max_body=8 * MIB)
async def enroll_listed(view: PanelView, form: ListedPeople) -> Html:
    """Enroll the people of these addresses, and tell how it went."""
    listed = await _addresses(form)
    async with view.reading() as tx:
        course = await _open_course(tx, form.course_id)
        expires_at = _expiry(tx, form.expires_at, view)
        found = await selection.find_by_emails(tx, listed.good, reach_of(view))
    known = {each.email for each in found}
    left = [Left("", each, words.REASONS["invalid_email"]) for each in listed.bad]
    left += [Left("", each, words.REASONS["unknown_email"]) for each in listed.good if each not in known]
    result = await _enroll(view, [each.id for each in found], course, expires_at)
    return await _tell(view, course, result, left)


async def _addresses(form: ListedPeople) -> Emails:
    """Raises Invalid."""
    listed = await asyncio.to_thread(emails.from_text, form.emails)
    if form.file is not None:
        listed = emails.together(listed, await asyncio.to_thread(emails.from_file, form.file.path))
    if not listed.good and not listed.bad:
        raise invalid("emails", "required")
    if len(listed.good) + len(listed.bad) > MOST:
        raise invalid("emails", "out_of_range")
    return listed


async def _open_course(tx: Tx, course_id: UUID) -> Course:
    """Raises NotFound, and BusinessRule (course_not_published)."""
    course = await courses.get(tx, course_id)
    if course.status != "PUBLISHED":
        raise BusinessRule("course_not_published")
    return course


def _expiry(tx: Tx, day: date | None, view: PanelView) -> Timestamp | None:
    """Raises Invalid: what is wrong for all is told once."""
    expires_at = end_of(day, view)
    if expires_at is not None and expires_at <= Timestamp.of(tx.now):
        raise invalid("expires_at", "not_in_future")
    return expires_at


async def _enroll(
    view: PanelView, ids: Sequence[UUID], course: Course, expires_at: Timestamp | None
) -> BulkResult:
    actor = view.caller.actor
    return await bulk.enroll_people(view.database, view.tenant_id, actor, ids, course.id, expires_at)


async def _tell(
    view: PanelView,
    course: Course,
    result: BulkResult,
    left: Sequence[Left],
    rest: Mapping[str, object] | None = None,
) -> Html:
    """What was done, what was so before, and each problem. `rest` is the form that goes on with the next."""
    errors = result.errors[:_SHOWN]
    async with view.reading() as tx:
        named = await selection.find_by_ids(tx, [each.user_id for each in errors], reach_of(view))
    names = {each.id: each for each in named}
    reasons: dict[str, int] = {}
    for reason in [*(each.reason for each in left), *(words.REASONS[each.code] for each in result.errors)]:
        reasons[reason] = reasons.get(reason, 0) + 1
    problems = [
        *left,
        *(
            Left(person.name, person.email, words.REASONS[each.code], person.id)
            for each in errors
            if (person := names.get(each.user_id))
        ),
    ]
    return view.show(
        "panel/enrollments/result.html",
        course=course,
        result=result,
        failed=len(left) + result.failed,
        reasons=sorted(reasons.items(), key=lambda each: -each[1]),
        problems=problems[:_SHOWN],
        rest=rest,
        most=MOST,
    )
