"""Writes the event of a session as iCalendar (RFC 5545), for a message of RFC 6047.

Outlook, Google Calendar and Apple Calendar need METHOD in the calendar and in the header, an ORGANIZER, the
recipient as ATTENDEE, and the definition of each time zone.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from trilha.core.clock import in_zone
from trilha.core.time_zone_definitions import build_time_zone
from trilha.platform.mail.catalogue import (
    Message,
    SessionCancellation,
    SessionChange,
    SessionInvitation,
)
from trilha.platform.mail.schema import Locale

if TYPE_CHECKING:
    from icalendar import Event, vCalAddress

MeetingMessage = SessionInvitation | SessionChange | SessionCancellation
Method = Literal["REQUEST", "CANCEL"]
_LABELS: dict[Locale, tuple[str, str]] = {
    "pt-BR": ("Curso: {}", "Link da videochamada: {}"),
    "en": ("Course: {}", "Video call: {}"),
}


def find_meeting(message: Message) -> MeetingMessage | None:
    """Returns the message if a calendar belongs to it."""
    return message if isinstance(message, MeetingMessage) else None


def get_method(message: MeetingMessage) -> Method:
    return "CANCEL" if isinstance(message, SessionCancellation) else "REQUEST"


def build_calendar(
    message: MeetingMessage,
    *,
    organizer: tuple[str, str],
    attendee: tuple[str, str],
    locale: Locale,
    created_at: datetime,
) -> str:
    """Builds the calendar. `organizer` and `attendee` are a name, which may be empty, and an address."""
    # Imported here, because it takes long.
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", "-//Trilha//Trilha//EN")
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    method = get_method(message)
    calendar.add("method", method)
    event = _build_event(message, locale, created_at)
    event.add("organizer", _build_person(*organizer))
    invitee = _build_person(*attendee)
    invitee.params.update(CUTYPE="INDIVIDUAL", ROLE="REQ-PARTICIPANT", PARTSTAT="NEEDS-ACTION", RSVP="FALSE")
    event.add("attendee", invitee)
    # Before the event, because some programs read a calendar once from its beginning to its end.
    if "TZID" in event["dtstart"].params:
        days = [_localize(message, at).date() for at in (message.event.starts_at, message.event.ends_at)]
        calendar.add_component(build_time_zone(message.event.time_zone, *days))
    calendar.add_component(event)
    return bytes(calendar.to_ical()).decode()


def _build_event(message: MeetingMessage, locale: Locale, created_at: datetime) -> Event:
    from icalendar import Event

    told = message.event
    event = Event()
    event.add("uid", told.uid)
    event.add("sequence", told.sequence)
    event.add("dtstamp", created_at.replace(microsecond=0))
    for name, at in (("dtstart", told.starts_at), ("dtend", told.ends_at)):
        event.add(name, _localize(message, at))
    event.add("summary", told.title, parameters={"language": locale})
    course, call = _LABELS[locale]
    lines = [course.format(told.course)]
    if told.meeting_url:
        lines.append(call.format(told.meeting_url))
        event.add("url", told.meeting_url)
    event.add("description", "\n".join([*lines, message.link]), parameters={"language": locale})
    if place := told.room or told.meeting_url:
        event.add("location", place)
    event.add("status", "CANCELLED" if get_method(message) == "CANCEL" else "CONFIRMED")
    event.add("transp", "OPAQUE")
    return event


def _localize(message: MeetingMessage, at: str) -> datetime:
    return in_zone(datetime.fromisoformat(at), ZoneInfo(message.event.time_zone)).replace(microsecond=0)


def _build_person(name: str, email: str) -> vCalAddress:
    from icalendar import vCalAddress

    person = vCalAddress(f"mailto:{email}")
    if name:
        person.params["CN"] = name
    return person
