"""Formats dates, numbers and sizes for the reader. Times are in the tenant's time zone.

A list repeats the same dates and numbers in many rows, so recent results are cached.
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
from trilha.kit.page import Locale, Page


class _Patterns(NamedTuple):
    date: str
    time: str


# Babel's short English date is 11/21/26, which is read differently in most countries.
_PATTERNS: dict[Locale, _Patterns] = {
    "pt-BR": _Patterns("dd/MM/y", "HH:mm"),
    "en": _Patterns("MMM d, y", "h:mm\u202fa"),
}
_RECENT = timedelta(days=7)
_CACHE_SIZE = 4096
_STORED_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")


@cache
def _babel(locale: Locale) -> BabelLocale:
    return BabelLocale.parse(locale, sep="-")


@cache
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _local(page: Page, moment: datetime | str) -> datetime:
    when = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return in_zone(when, _zone(page.time_zone))


def _element(moment: datetime, text: str, title: str = "") -> Markup:
    machine = moment.isoformat(timespec="seconds")
    if title:
        return Markup('<time datetime="{}" title="{}">{}</time>').format(machine, title, text)
    return Markup('<time datetime="{}">{}</time>').format(machine, text)


def csv_separator(page: Page) -> str:
    """Returns the separator that Excel expects in a CSV file: a semicolon where the comma is the decimal
    separator.
    """
    return ";" if page.locale == "pt-BR" else ","


def moment_text(page: Page, moment: datetime | str) -> str:
    return _exact(page.locale, _local(page, moment))


def _exact(locale: Locale, when: datetime) -> str:
    return f"{_day(locale, when.date())} {_time(locale, time(when.hour, when.minute))}"


def moment(page: Page, moment: datetime | str) -> Markup:
    """Formats a datetime or JSON text as `21/11/2026 14:32`."""
    when = _local(page, moment)
    return _element(when, _exact(page.locale, when))


def day(page: Page, value: date | str) -> Markup:
    """Formats a date, or the date of a time in the tenant's time zone, as `21/11/2026`."""
    if isinstance(value, str):
        value = date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    value = _local(page, value).date() if isinstance(value, datetime) else value
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), _day(page.locale, value))


def day_text(page: Page, value: date) -> str:
    return _day(page.locale, value)


@lru_cache(_CACHE_SIZE)
def _day(locale: Locale, value: date) -> str:
    return str(dates.format_date(value, _PATTERNS[locale].date, locale=_babel(locale)))


@lru_cache(_CACHE_SIZE)
def _time(locale: Locale, value: time) -> str:
    return str(dates.format_time(value, _PATTERNS[locale].time, locale=_babel(locale)))


def zone_name(page: Page) -> str:
    """Returns the common name of the page's time zone, such as "horário de Brasília"."""
    return _zone_name(page.locale, page.time_zone)


@cache
def _zone_name(locale: Locale, name: str) -> str:
    title = dates.get_timezone_name(_zone(name), zone_variant="generic", locale=_babel(locale))
    if "(" in title:  # CLDR has no name for it, for example for UTC
        return name
    if locale == "en":
        return title.replace("Brasilia", "Brasília").replace(" Time", " time")
    return title[0].lower() + title[1:]


def ago(page: Page, moment: datetime | str) -> Markup:
    """Formats a relative time such as `há 3 minutos` or `in 2 days`; a date if it is more than a week
    away. The title has the exact time.
    """
    when = _local(page, moment)
    distance = when - page.now
    if abs(distance) > _RECENT:
        shown = _day(page.locale, when.date())
    else:
        shown = dates.format_timedelta(distance, add_direction=True, threshold=1, locale=_babel(page.locale))
    return _element(when, shown, _exact(page.locale, when))


def days_until(page: Page, moment: datetime | str) -> int:
    """Counts the midnights until a time, in the tenant's time zone: 0 today, 1 tomorrow, -1 yesterday."""
    return (_local(page, moment).date() - _local(page, page.now).date()).days


def is_past(page: Page, moment: datetime | str) -> bool:
    return _local(page, moment) <= page.now


def month_day(page: Page, moment: datetime | str) -> str:
    """Formats the day of a time shortly, as `2 dez` or `Dec 2`."""
    when = _local(page, moment)
    pattern = "d MMM" if page.locale == "pt-BR" else "MMM d"
    return str(dates.format_date(when.date(), pattern, locale=_babel(page.locale))).replace(".", "")


def clock(page: Page, moment: datetime | str) -> str:
    """Formats the time of day, as `14:32` or `2:32 PM`."""
    when = _local(page, moment)
    return _time(page.locale, time(when.hour, when.minute))


def period(page: Page, starts_at: str, ends_at: str, zone: str = "") -> Markup:
    """Formats the time of a session: `seg., 21/11/2026, 14:00 a 16:00`. In another time zone than the page's
    whose clock differs then, the local time follows: `(15:00 a 17:00, horário de Lisboa)`.
    """
    first, last = _local(page, starts_at), _local(page, ends_at)
    text = f"{_short_weekday(page.locale, first)}, {_day(page.locale, first.date())}, " + _span_of(
        page.locale, first, last
    )
    if zone and zone != page.time_zone:
        there = in_zone(first, _zone(zone)), in_zone(last, _zone(zone))
        if there[0].utcoffset() != first.utcoffset():
            text += f" ({_span_of(page.locale, *there)}, {_zone_name(page.locale, zone)})"
    return _element(first, text)


def _short_weekday(locale: Locale, when: datetime) -> str:
    return str(dates.format_date(when.date(), "EEE", locale=_babel(locale)))


def _span_of(locale: Locale, first: datetime, last: datetime) -> str:
    begin, end = (_time(locale, time(each.hour, each.minute)) for each in (first, last))
    if last.date() != first.date():
        end = f"{_day(locale, last.date())} {end}"
    return f"{begin} a {end}" if locale == "pt-BR" else f"{begin} – {end}"


def month_name(page: Page, value: date) -> str:
    """Formats a month, as `novembro de 2026`."""
    pattern = "MMMM 'de' y" if page.locale == "pt-BR" else "MMMM y"
    return str(dates.format_date(value, pattern, locale=_babel(page.locale)))


def day_name(page: Page, value: date) -> str:
    """Formats a day with its weekday, as `segunda-feira, 9 de março`."""
    pattern = "EEEE, d 'de' MMMM" if page.locale == "pt-BR" else "EEEE, MMMM d"
    return str(dates.format_date(value, pattern, locale=_babel(page.locale)))


def short_weekday(page: Page, value: date) -> str:
    """Formats the weekday of a day, as `seg`."""
    return str(dates.format_date(value, "EEE", locale=_babel(page.locale))).replace(".", "")


def weekday(page: Page, moment: datetime | str) -> str:
    """Formats the day of the week of a time, as `quarta-feira`."""
    return str(dates.format_date(_local(page, moment).date(), "EEEE", locale=_babel(page.locale)))


def span(page: Page, milliseconds: float) -> str:
    """Formats a duration: `0 s`, `84 ms`, `1,2 s`, `3 min`, `2 h`."""
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
    """Formats a workload: `45 min`, `8 h`, `1 h 30 min`."""
    whole, rest = divmod(minutes, 60)
    parts = [f"{number(page, whole)} h"] if whole else []
    return " ".join(parts + ([f"{rest} min"] if rest or not whole else []))


def number(page: Page, value: int) -> str:
    return _number(page.locale, value)


@lru_cache(_CACHE_SIZE)
def _number(locale: Locale, value: int | Decimal, pattern: str | None = None) -> str:
    return str(numbers.format_decimal(value, pattern, locale=_babel(locale)))


def decimal(page: Page, value: float | Decimal, places: int = 1) -> str:
    """Formats a number truncated to `places`, never rounded up."""
    cut = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_FLOOR)
    pattern = "#,##0" + ("." + "0" * places if places else "")
    return _number(page.locale, cut, pattern)


def numeral(page: Page, text: str) -> str:
    """Formats a number, or a range of two, that is stored as text. Other text is unchanged."""
    parts = text.split("–")
    if not all(_STORED_NUMBER.fullmatch(each) for each in parts):
        return text
    return "–".join(_number(page.locale, Decimal(each), "#,##0.###############") for each in parts)


def percent(page: Page, value: float | Decimal) -> str:
    """Formats a number from 0 to 100, rounded down: 99.6 is 99 %, because it is not complete."""
    return f"{decimal(page, value, 0)}%"


def size(page: Page, count: int) -> str:
    """Formats a number of bytes: `340 kB`, `1,2 MB`."""
    for power, unit in ((3, "GB"), (2, "MB"), (1, "kB")):
        if count >= 1000**power:
            return f"{decimal(page, Decimal(count) / 1000**power, 0 if power == 1 else 1)} {unit}"
    return f"{number(page, count)} B"


def join_words(page: Page, words: list[str]) -> str:
    """Joins words to a list: `Ana, Bruno e Carla`."""
    return lists.format_list(words, locale=_babel(page.locale))


def lang_attribute(page: Page, language: str) -> Markup:
    """Returns the attribute of an element whose text is in a language other than the page's, else nothing."""
    return Markup(' lang="{}"').format(language) if language not in ("", page.locale) else Markup()
