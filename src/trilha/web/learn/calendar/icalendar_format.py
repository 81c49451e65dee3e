"""Writes events as iCalendar (RFC 5545). Equal events give equal bytes, so that their hash is an ETag."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from trilha.core.clock import in_zone
from trilha.core.time_zone_definitions import build_time_zone
from trilha.kit import N_
from trilha.kit.translations import translations
from trilha.training.calendar_feeds.schema import (
    CalendarEvent,
    EventKind,
    FeedKind,
    FeedOwner,
    SessionEvent,
)

if TYPE_CHECKING:
    from icalendar import Event, Timezone

_TITLES: dict[EventKind, str] = {
    "course_due": N_("Due: %(title)s"),
    "path_due": N_("Learning path due: %(title)s"),
    "certificate_expiry": N_("Certificate expires: %(title)s"),
}
_NAMES: dict[FeedKind, str] = {
    "own": N_("Training at %(company)s"),
    "company": N_("Classes at %(company)s"),
}
_COURSE, _CALL = N_("Course: %(title)s"), N_("Video call: %(link)s")
_REFRESH = timedelta(hours=6)


def build_calendar(
    owner: FeedOwner, events: Sequence[CalendarEvent], sessions: Sequence[SessionEvent], address: str
) -> bytes:
    """Builds the calendar in the owner's language. Due dates last the whole day, in the company's time zone;
    sessions are in that of their place.
    """
    # Imported here, because it takes long.
    from icalendar import Calendar

    say = translations(owner.locale).gettext
    calendar = Calendar()
    calendar.add("prodid", "-//Trilha//Trilha//EN")
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    # RFC 7986, and the names that programs knew before it.
    name = say(_NAMES[owner.kind]) % {"company": owner.tenant_name}
    for property in ("name", "x-wr-calname"):
        calendar.add(property, name)
    calendar.add("refresh-interval", _REFRESH, parameters={"value": "DURATION"})
    calendar.add("x-published-ttl", "PT6H")
    meetings = [_build_session(session, say, address) for session in sessions]
    for definition in _list_time_zones(sessions, meetings):
        calendar.add_component(definition)
    for meeting in meetings:
        calendar.add_component(meeting)
    for event in events:
        calendar.add_component(_build_event(owner, event, say(_TITLES[event.kind]), address))
    return bytes(calendar.to_ical())


def _list_time_zones(sessions: Sequence[SessionEvent], meetings: Sequence[Event]) -> Iterator[Timezone]:
    """Yields the definition of each time zone in which events are written. UTC needs none."""
    by_zone: dict[str, list[SessionEvent]] = {}
    for session, meeting in zip(sessions, meetings, strict=True):
        if "TZID" in meeting["dtstart"].params:
            by_zone.setdefault(session.time_zone, []).append(session)
    for name, events in by_zone.items():
        first = min(_localize(each.starts_at, name) for each in events)
        last = max(_localize(each.ends_at, name) for each in events)
        yield build_time_zone(name, first.date(), last.date())


def _localize(at: str, time_zone: str) -> datetime:
    return in_zone(datetime.fromisoformat(at), ZoneInfo(time_zone)).replace(microsecond=0)


def _build_session(session: SessionEvent, say: Callable[[str], str], address: str) -> Event:
    from icalendar import Event

    component = Event()
    component.add("uid", session.uid)
    component.add("sequence", session.sequence)
    component.add("dtstamp", datetime.fromisoformat(session.changed_at).replace(microsecond=0))
    component.add("dtstart", _localize(session.starts_at, session.time_zone))
    component.add("dtend", _localize(session.ends_at, session.time_zone))
    component.add("summary", session.title)
    lines = [say(_COURSE) % {"title": session.course}]
    if session.meeting_url:
        lines.append(say(_CALL) % {"link": session.meeting_url})
    component.add("description", "\n".join([*lines, f"{address}{session.path}"]))
    component.add("url", session.meeting_url or f"{address}{session.path}")
    if place := session.room or session.meeting_url:
        component.add("location", place)
    component.add("class", "PRIVATE")
    component.add("transp", "OPAQUE")
    return component


def _build_event(owner: FeedOwner, event: CalendarEvent, title: str, address: str) -> Event:
    from icalendar import Event

    changed_at = datetime.fromisoformat(event.changed_at).replace(microsecond=0)
    at = in_zone(datetime.fromisoformat(event.at), ZoneInfo(owner.time_zone))
    component = Event()
    component.add("uid", event.uid)
    component.add("dtstamp", changed_at)
    component.add("dtstart", at.date())
    component.add("summary", title % {"title": event.title})
    component.add("description", f"{address}{event.path}")
    component.add("url", f"{address}{event.path}")
    component.add("class", "PRIVATE")
    component.add("transp", "TRANSPARENT")
    return component
