"""/learn/calendar: a person's sessions and due dates as a month, a week or a list."""

from collections.abc import Callable
from datetime import date, datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.clock import in_zone
from trilha.core.database import Tx
from trilha.core.moments import Day
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.training.calendar_feeds import events
from trilha.training.calendar_feeds.schema import CalendarEvent
from trilha.training.classes import calendars
from trilha.training.classes.calendars import CalendarSession, CalendarSpan, CalendarView
from trilha.web.learn.classes.pages import build_address
from trilha.web.learn.view import HOME, LearnView

routes = Routes("My sessions", "When a person meets in classes, and what is due.")
PATH = f"{HOME}/calendar"
_DUE_KINDS = ("course_due", "path_due", "certificate_expiry")


class CalendarQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Without a view, a phone shows the list and a wide screen the month. Without a day, it is today."""

    view: CalendarView | None = None
    day: Day | None = None


@routes.get("/calendar", access=may(Permission.LEARN))
async def show_calendar(tx: Tx, view: LearnView, query: CalendarQuery) -> Html:
    """Show the viewer's sessions and due dates, and which sessions are at the same time."""
    zone = view.viewer.time_zone
    today = in_zone(view.page.now, ZoneInfo(zone)).date()
    day = query.day.as_date() if query.day else today
    span = calendars.find_span(query.view or "month", day, zone)
    sessions = await calendars.list_own_sessions(tx, view.viewer.user_id, span.since, span.until)
    due = await _list_due(tx, view, span)
    return view.show(
        "learn/classes/calendar.html",
        span=span,
        days=calendars.place(span, sessions, zone, due),
        overlaps=calendars.find_overlaps(sessions, own=True),
        today=today,
        chosen=query.view or "",
        here=_build_calendar_address,
        link=_build_link(view),
        is_cut=len(sessions) == calendars.MAX_SESSIONS,
        seats=False,
    )


async def _list_due(tx: Tx, view: LearnView, span: CalendarSpan) -> dict[date, list[CalendarEvent]]:
    """Returns by day what is due in a span."""
    zone = ZoneInfo(view.viewer.time_zone)
    by_day: dict[date, list[CalendarEvent]] = {}
    for each in await events.list_events(tx, view.viewer.user_id, view.locale):
        at = datetime.fromisoformat(each.at)
        if each.kind in _DUE_KINDS and span.since <= at < span.until:
            by_day.setdefault(in_zone(at, zone).date(), []).append(each)
    return by_day


def _build_link(view: LearnView) -> Callable[[CalendarSession], str]:
    def link(session: CalendarSession) -> str:
        if session.registration is None and view.may(Permission.CLASSES_READ):
            return f"/admin/classes/{session.class_id}#session-{session.id}"
        return f"{build_address(session.course_id)}#class-{session.class_id}"

    return link


def _build_calendar_address(view: str, day: date | None) -> str:
    given = {name: str(value) for name, value in (("view", view), ("day", day)) if value}
    return f"{PATH}?{urlencode(given)}" if given else PATH
