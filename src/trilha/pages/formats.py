"""Dates, numbers and sizes as readers write them. Moments are shown in the tenant's time zone.

A list writes the same days and numbers row after row, so what was written lately is remembered.
"""

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_FLOOR, Decimal
from functools import cache, lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from babel import Locale as BabelLocale
from babel import dates, lists, numbers
from markupsafe import Markup

from trilha.core.clock import in_zone
from trilha.pages.page import Locale, Page


class _Patterns(NamedTuple):
    date: str
    time: str


# Babel's short English date is 11/21/26, which most of the world reads otherwise.
_PATTERNS: dict[Locale, _Patterns] = {
    "pt-BR": _Patterns("dd/MM/y", "HH:mm"),
    "en": _Patterns("MMM d, y", "h:mm\u202fa"),
}
_RECENT = timedelta(days=7)
_REMEMBERED = 4096
_STORED = re.compile(r"-?\d{1,15}(\.\d{1,15})?")


@cache
def _babel(locale: Locale) -> BabelLocale:
    return BabelLocale.parse(locale, sep="-")


@cache
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _local(page: Page, moment: datetime | str) -> datetime:
    when = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return in_zone(when, _zone(page.time_zone))


def _element(moment: datetime, shown: str, title: str = "") -> Markup:
    machine = moment.isoformat(timespec="seconds")
    if title:
        return Markup('<time datetime="{}" title="{}">{}</time>').format(machine, title, shown)
    return Markup('<time datetime="{}">{}</time>').format(machine, shown)


def csv_separator(page: Page) -> str:
    """By which Excel divides the cells of a CSV file: where the comma is in numbers, it is the semicolon."""
    return ";" if page.locale == "pt-BR" else ","


def moment_text(page: Page, moment: datetime | str) -> str:
    return _exact(page.locale, _local(page, moment))


def _exact(locale: Locale, when: datetime) -> str:
    return f"{_day(locale, when.date())} {_time(locale, time(when.hour, when.minute))}"


def moment(page: Page, moment: datetime | str) -> Markup:
    """`21/11/2026 14:32`, of a datetime or wire text."""
    when = _local(page, moment)
    return _element(when, _exact(page.locale, when))


def day(page: Page, value: date | str) -> Markup:
    """`21/11/2026`, of a calendar day, or of a moment's day in the tenant's time zone."""
    if isinstance(value, str):
        value = date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    value = _local(page, value).date() if isinstance(value, datetime) else value
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), _day(page.locale, value))


def day_text(page: Page, value: date) -> str:
    return _day(page.locale, value)


@lru_cache(_REMEMBERED)
def _day(locale: Locale, value: date) -> str:
    return str(dates.format_date(value, _PATTERNS[locale].date, locale=_babel(locale)))


@lru_cache(_REMEMBERED)
def _time(locale: Locale, value: time) -> str:
    return str(dates.format_time(value, _PATTERNS[locale].time, locale=_babel(locale)))


def ago(page: Page, moment: datetime | str) -> Markup:
    """`há 3 minutos`, `in 2 days`; a date where it is further than a week away. The title has it exactly."""
    when = _local(page, moment)
    distance = when - page.now
    if abs(distance) > _RECENT:
        shown = _day(page.locale, when.date())
    else:
        shown = dates.format_timedelta(distance, add_direction=True, threshold=1, locale=_babel(page.locale))
    return _element(when, shown, _exact(page.locale, when))


def span(page: Page, milliseconds: float) -> str:
    """How long something took: `0 s`, `84 ms`, `1,2 s`, `3 min`, `2 h`."""
    if int(milliseconds) == 0:
        return "0 s"
    if milliseconds < 1000:
        return f"{number(page, int(milliseconds))} ms"
    seconds = Decimal(str(milliseconds)) / 1000
    if seconds < 60:
        return f"{decimal(page, seconds, 1)} s"
    minutes = seconds / 60
    return f"{decimal(page, minutes, 0)} min" if minutes < 60 else f"{decimal(page, minutes / 60, 0)} h"


def hours(page: Page, minutes: int) -> str:
    """A workload: `45 min`, `8 h`, `1 h 30 min`."""
    whole, rest = divmod(minutes, 60)
    parts = [f"{number(page, whole)} h"] if whole else []
    return " ".join(parts + ([f"{rest} min"] if rest or not whole else []))


def number(page: Page, value: int) -> str:
    return _number(page.locale, value)


@lru_cache(_REMEMBERED)
def _number(locale: Locale, value: int | Decimal, pattern: str | None = None) -> str:
    return str(numbers.format_decimal(value, pattern, locale=_babel(locale)))


def decimal(page: Page, value: float | Decimal, places: int = 1) -> str:
    """Cut after so many places, never rounded up."""
    cut = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_FLOOR)
    pattern = "#,##0" + ("." + "0" * places if places else "")
    return _number(page.locale, cut, pattern)


def numeral(page: Page, text: str) -> str:
    """A number that is stored as text, or a range of two, as readers write it; any other text as it is."""
    parts = text.split("–")
    if not all(_STORED.fullmatch(each) for each in parts):
        return text
    return "–".join(_number(page.locale, Decimal(each), "#,##0.###############") for each in parts)


def percent(page: Page, value: float | Decimal) -> str:
    """Of a number between 0 and 100, floored: 99.6 is 99 %, for it is not done."""
    return f"{decimal(page, value, 0)}%"


def size(page: Page, count: int) -> str:
    """Of so many bytes: `340 kB`, `1,2 MB`."""
    for power, unit in ((3, "GB"), (2, "MB"), (1, "kB")):
        if count >= 1000**power:
            return f"{decimal(page, Decimal(count) / 1000**power, 0 if power == 1 else 1)} {unit}"
    return f"{number(page, count)} B"


def listed(page: Page, words: list[str]) -> str:
    """`Ana, Bruno e Carla`."""
    return lists.format_list(words, locale=_babel(page.locale))
