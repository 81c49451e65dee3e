"""/admin/calendar: the sessions of classes as a month, a week or a list."""

from collections.abc import Callable, Mapping
from datetime import date
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.core.clock import in_zone
from trilha.core.database import Tx
from trilha.core.moments import Day
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.classes import calendars
from trilha.training.classes.calendars import CalendarView
from trilha.web.panel import choices
from trilha.web.panel.classes.pages import ADDRESS, READ, offer_instructors
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Calendar of classes", "When classes meet.")
PATH = f"{HOME}/calendar"


class CalendarQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Without a view, a phone shows the list and a wide screen the month. Without a day, it is today."""

    view: CalendarView | None = None
    day: Day | None = None
    course: UUID | None = None
    instructor: UUID | None = None


@routes.get("/calendar", access=READ)
async def show_calendar(tx: Tx, view: PanelView, query: CalendarQuery) -> Html:
    """Shows the sessions within reach, and which of them overlap."""
    zone = view.viewer.time_zone
    today = in_zone(view.page.now, ZoneInfo(zone)).date()
    day = query.day.as_date() if query.day else today
    span = calendars.find_span(query.view or "month", day, zone)
    sessions = await calendars.list_sessions(
        tx,
        reach_of(view),
        span.since,
        span.until,
        course_id=query.course,
        instructor_id=query.instructor,
    )
    filters = {"course": query.course, "instructor": query.instructor}
    return view.show(
        "panel/classes/calendar.html",
        span=span,
        days=calendars.place(span, sessions, zone),
        overlaps=calendars.find_overlaps(sessions),
        today=today,
        chosen=query.view or "",
        here=build_address(PATH, filters),
        link=lambda session: f"{ADDRESS}/{session.class_id}#session-{session.id}",
        is_cut=len(sessions) == calendars.MAX_SESSIONS,
        seats=True,
        query=query,
        courses=await choices.courses(tx, view, query.course),
        instructors=await offer_instructors(tx, view),
        labels=(N_("Any course"), N_("Any instructor")),
        path=PATH,
    )


def build_address(path: str, filters: Mapping[str, object]) -> Callable[[str, date | None], str]:
    """Returns what makes the address of the same calendar in another view or on another day."""

    def address(view: str, day: date | None) -> str:
        members = {"view": view, "day": day, **filters}
        given = {name: str(value) for name, value in members.items() if value}
        return f"{path}?{urlencode(given)}" if given else path

    return address
