"""/admin/reports"""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from babel.dates import format_date
from msgspec import Meta, Struct

from trilha.certificates import search as certificates
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.courses import search as course_search
from trilha.pages import N_, formats
from trilha.panel import lists
from trilha.panel.enrollments.pages import group_options, unit_options
from trilha.panel.view import HOME, PanelView
from trilha.reports import compliance, dashboards, mails
from trilha.reports.dashboards import Duration, Wanted
from trilha.sessions.permissions import Permission, may
from trilha.users.reach import Reach

routes = Routes("Reports", "How training goes, and what is missing.")
ADDRESS = f"{HOME}/reports"
READ = may(Permission.REPORTS_READ)
_SHOWN = 25
PERIODS = {"3": N_("Last 3 months"), "12": N_("Last 12 months"), "24": N_("Last 24 months")}


class ReportQuery(Struct, frozen=True, kw_only=True):
    """`months` is how many, of which this one is the last."""

    course: UUID | None = None
    unit: UUID | None = None
    group: UUID | None = None
    months: Annotated[int, Meta(ge=1, le=60)] = dashboards.MONTHS


class CourseQuery(Struct, frozen=True, kw_only=True):
    course: UUID | None = None
    after: Annotated[str, Meta(max_length=100)] | None = None


def reach_of(view: PanelView) -> Reach:
    return Reach(view.viewer.role, view.viewer.user_id)


async def course_options(tx: Tx, view: PanelView) -> list[tuple[str, str]]:
    taught_by = view.viewer.user_id if view.viewer.role == "instrutor" else None
    return [(str(each.id), each.title) for each in await course_search.list_names(tx, taught_by=taught_by)]


@routes.get("/reports", access=READ)
async def show_reports(tx: Tx, view: PanelView, query: ReportQuery, refusal: Refusal | None = None) -> Html:
    """Completion over time and by course."""
    reach = reach_of(view)
    since, until = dashboards.last_months(tx.today, query.months)
    options = {
        "course": await course_options(tx, view),
        "unit": await unit_options(tx, view),
        "group": await group_options(tx, view),
    }
    _check(query, options)
    wanted = Wanted(since, until, query.course, query.unit, query.group)
    standing = await dashboards.get(tx, reach, wanted)
    months = [(_month(each, view), count) for each, count in (standing.months or {}).items()]
    return view.form(
        "panel/reports/overview.html",
        refusal,
        {"every": await mails.find(tx, view.viewer.user_id) or "never"},
        query=query,
        options=options,
        periods=list(PERIODS.items()),
        active=lists.chips(ADDRESS, query, _chosen(view, query, options)),
        standing=standing,
        months=months,
        completed=sum(count for _, count in months),
        expiring=await _count(tx, view, reach, "expiring"),
        renewal=await _count(tx, view, reach, "renewal"),
        most=dashboards.MOST_COURSES,
    )


class MailForm(Struct, frozen=True):
    every: Literal["never", "week", "month"] = "never"


@routes.post("/reports/mail", access=READ, refused=show_reports)
async def change_mail(tx: Tx, view: PanelView, form: MailForm) -> Answer:
    """Have a report sent, or no more."""
    every = None if form.every == "never" else form.every
    await mails.change(tx, view.viewer.user_id, every, view.viewer.time_zone)
    if every is None:
        return view.lead(ADDRESS, N_("You get no report by e-mail any more."))
    return view.lead(ADDRESS, N_("You get the next report on %(day)s."), day=_next(tx, view, every))


def _next(tx: Tx, view: PanelView, every: mails.Every) -> str:
    return formats.day_text(view.page, mails.next_after(every, tx.now, view.viewer.time_zone).date())


def _check(query: ReportQuery, options: dict[str, list[tuple[str, str]]]) -> None:
    """What is not offered is out of reach. Raises NotFound."""
    for name in ("course", "unit", "group"):
        value = getattr(query, name)
        if value is not None and str(value) not in dict(options[name]):
            raise NotFound("course_not_found" if name == "course" else "route_not_found")


def _chosen(view: PanelView, query: ReportQuery, options: dict[str, list[tuple[str, str]]]) -> dict[str, str]:
    chosen = {name: dict(pairs).get(str(getattr(query, name)), "") for name, pairs in options.items()}
    months = PERIODS.get(str(query.months))
    return chosen | {"months": view.say(months) if months else ""}


async def _count(tx: Tx, view: PanelView, reach: Reach, which: Literal["expiring", "renewal"]) -> int | None:
    if not view.may(Permission.CERTIFICATES_READ):
        return None
    return await certificates.count(tx, which, reach=reach, most=1001)


def _month(month: date, view: PanelView) -> str:
    """`nov 26`."""
    text: str = format_date(month, "LLL yy", locale=view.locale.replace("-", "_"))
    return text.replace(".", "")


@routes.get("/reports/questions", access=READ)
async def show_questions(tx: Tx, view: PanelView, query: CourseQuery) -> Html:
    """How a course's questions are answered, and how long it takes to complete."""
    options = await course_options(tx, view)
    chosen = str(query.course) if query.course else ""
    if chosen and chosen not in dict(options):
        raise NotFound("course_not_found")
    reach = reach_of(view)
    found = await dashboards.questions(tx, reach, query.course) if query.course else []
    took = await dashboards.durations(tx, reach, query.course) if query.course else []
    return view.show(
        "panel/reports/questions.html",
        options=options,
        chosen=chosen,
        title=dict(options).get(chosen, ""),
        questions=found,
        durations=[(_span(view, each), each.people) for each in took],
        done=sum(each.people for each in took),
        latest=dashboards.LATEST,
    )


def _span(view: PanelView, duration: Duration) -> str:
    words = {
        1: N_("Within a day"),
        7: N_("2 to 7 days"),
        30: N_("8 to 30 days"),
        90: N_("31 to 90 days"),
        None: N_("Longer"),
    }
    return view.say(words[duration.days])


@routes.get("/reports/compliance", access=READ)
async def show_compliance(tx: Tx, view: PanelView, query: CourseQuery) -> Html:
    """Who lacks documents or time in a regulated course, and whose certificate ends."""
    reach = reach_of(view)
    courses = await compliance.list_courses(tx, reach)
    course = next((each for each in courses if each.id == query.course), None)
    if query.course is not None and course is None:
        raise NotFound("course_not_found")
    course = course or (courses[0] if courses else None)
    page = await compliance.list_lacking(tx, reach, course, query.after) if course else None
    following = ""
    if course and page and page.after:
        following = lists.address(f"{ADDRESS}/compliance", CourseQuery(course=course.id), after=page.after)
    return view.show(
        "panel/reports/compliance.html",
        courses=[(str(each.id), each.title) for each in courses],
        course=course,
        page_of=page,
        following=following,
        certificates=view.may(Permission.CERTIFICATES_READ),
    )
