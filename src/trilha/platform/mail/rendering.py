"""Renders the text and HTML of a message in each language."""

from datetime import datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
from babel import dates
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from trilha.core.clock import in_zone
from trilha.platform.mail import rules
from trilha.platform.mail.catalogue import MeetingEvent, Reminders
from trilha.platform.mail.schema import Brand, Content, Locale

TEMPLATES = Path(__file__).parent / "templates"
# for tenants without their own color
_COLOUR = "#1f5fa8"
_MOMENTS = {"pt-BR": "%d/%m/%Y %H:%M", "en": "%Y-%m-%d %H:%M"}
_DAYS = {"pt-BR": "%d/%m/%Y", "en": "%Y-%m-%d"}
_THOUSANDS = {"pt-BR": ".", "en": ","}


class Words(msgspec.Struct, frozen=True):
    subject: str
    text: str
    html: str


def render(content: Content, locale: Locale, brand: Brand) -> Words:
    """Renders a message. Raises jinja2.TemplateError."""
    message = content.message
    title = subject(message.kind(), locale)
    if isinstance(message, Reminders) and message.own_subject:
        title = message.own_subject
    event = getattr(message, "event", None)
    if isinstance(event, MeetingEvent):
        title = (
            f"{title}: {event.title}, {_local(event.starts_at, event.time_zone).strftime(_MOMENTS[locale])}"
        )
    values = msgspec.structs.asdict(message) | {
        "name": rules.greeting_name(content.name),
        "tenant": brand.name,
        "colour": brand.colour or _COLOUR,
        "locale": locale,
        "time_zone": content.time_zone,
    }
    name = f"{locale}/{message.kind()}"
    return Words(
        subject=title,
        text=_environment().get_template(f"{name}.txt").render(values).strip() + "\n",
        html=_environment().get_template(f"{name}.html").render(values, subject=title),
    )


@cache
def subject(kind: str, locale: Locale) -> str:
    """Returns the subject of a kind of message. It contains none of the message's values."""
    template = _environment().get_template(f"{locale}/{kind}.txt")
    return "".join(template.blocks["subject"](template.new_context())).strip()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(enabled_extensions=("html",), default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(moment=_moment, day=_day, number=_number, readable=_readable, period=_period)
    return environment


def _moment(at: str, locale: Locale, time_zone: str) -> str:
    """Formats a time to the minute, with its time zone."""
    return f"{_local(at, time_zone).strftime(_MOMENTS[locale])} ({time_zone})"


def _local(at: str, time_zone: str) -> datetime:
    return in_zone(datetime.fromisoformat(at), ZoneInfo(time_zone))


def _period(event: MeetingEvent, locale: Locale) -> str:
    """Formats when a session takes place, in the time zone of its place."""
    begin, end = (_local(at, event.time_zone) for at in (event.starts_at, event.ends_at))
    language = locale.replace("-", "_")
    days = [dates.format_date(each, "full", locale=language) for each in (begin, end)]
    times = [dates.format_time(each, "short", locale=language) for each in (begin, end)]
    first, last = f"{days[0]}, {times[0]}", times[1] if days[0] == days[1] else f"{days[1]}, {times[1]}"
    return f"{first} – {last} ({_name_zone(event.time_zone, locale)})"


@cache
def _name_zone(time_zone: str, locale: Locale) -> str:
    """Returns the common name of a time zone, such as "horário de Brasília"; its IANA name if it has none."""
    language = locale.replace("-", "_")
    title = dates.get_timezone_name(ZoneInfo(time_zone), zone_variant="generic", locale=language)
    if "(" in title:
        return time_zone
    return title if locale == "en" else title[0].lower() + title[1:]


def _day(at: str, locale: Locale, time_zone: str) -> str:
    """Formats the day of a time."""
    return in_zone(datetime.fromisoformat(at), ZoneInfo(time_zone)).strftime(_DAYS[locale])


def _number(value: int, locale: Locale) -> str:
    return f"{value:,}".replace(",", _THOUSANDS[locale])


def _readable(colour: str) -> str:
    """Returns black or white, whichever has more contrast with the color (WCAG 2.2, relative luminance)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"
