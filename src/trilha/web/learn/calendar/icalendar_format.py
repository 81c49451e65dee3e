"""Writes events as iCalendar (RFC 5545). Equal events give equal bytes, so that their hash is an ETag."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from trilha.core.clock import in_zone
from trilha.kit import N_
from trilha.kit.translations import translations
from trilha.training.calendar_feeds.schema import CalendarEvent, EventKind, FeedOwner

if TYPE_CHECKING:
    from icalendar import Event

_TITLES: dict[EventKind, str] = {
    "course_due": N_("Due: %(title)s"),
    "path_due": N_("Learning path due: %(title)s"),
    "certificate_expiry": N_("Certificate expires: %(title)s"),
}
_NAME = N_("Training at %(company)s")
_REFRESH = timedelta(hours=6)


def build_calendar(owner: FeedOwner, events: Sequence[CalendarEvent], address: str) -> bytes:
    """Builds the calendar in the owner's language. Events last the whole day, in the company's time zone."""
    # Imported here, because it takes long.
    from icalendar import Calendar

    say = translations(owner.locale).gettext
    calendar = Calendar()
    calendar.add("prodid", "-//Trilha//Trilha//EN")
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    # RFC 7986, and the names that programs knew before it.
    name = say(_NAME) % {"company": owner.tenant_name}
    for property in ("name", "x-wr-calname"):
        calendar.add(property, name)
    calendar.add("refresh-interval", _REFRESH, parameters={"value": "DURATION"})
    calendar.add("x-published-ttl", "PT6H")
    for event in events:
        calendar.add_component(_build_event(owner, event, say(_TITLES[event.kind]), address))
    return bytes(calendar.to_ical())


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
