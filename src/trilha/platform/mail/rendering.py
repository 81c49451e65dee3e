"""Renders the text and HTML of a message in each language."""

from datetime import datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from trilha.core.clock import in_zone
from trilha.platform.mail import rules
from trilha.platform.mail.catalogue import Reminders
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
    environment.filters.update(moment=_moment, day=_day, number=_number, readable=_readable)
    return environment


def _moment(at: str, locale: Locale, time_zone: str) -> str:
    """Formats a time to the minute, with its time zone."""
    local = in_zone(datetime.fromisoformat(at), ZoneInfo(time_zone))
    return f"{local.strftime(_MOMENTS[locale])} ({time_zone})"


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
