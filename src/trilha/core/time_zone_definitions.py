"""Builds the definition of a time zone for a calendar (VTIMEZONE of RFC 5545).

Where the clock changes by the same rule every year, the definition has that rule, because Outlook reads
nothing else. Where it does not, it lists each change around the events.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from msgspec import Struct

if TYPE_CHECKING:
    from icalendar import Timezone, TimezoneDaylight, TimezoneStandard

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY = timedelta(days=1)


class ClockChange(Struct, frozen=True):
    """A change of the clock. `at` is the local time before it."""

    at: datetime
    offset_before: timedelta
    offset: timedelta
    name: str


class YearlyRule(Struct, frozen=True):
    """A change of the clock on the same weekday each year. `week` counts from 1; -1 is the last."""

    month: int
    week: int
    weekday: str


def build_time_zone(name: str, first: date, last: date) -> Timezone:
    """Builds the definition of an IANA time zone for events between two days."""
    from icalendar import Timezone

    definition = Timezone()
    definition.add("tzid", name)
    changes = _list_changes(name, first.year - 1, last.year + 1)
    years = last.year - first.year + 3
    halves = [changes[number::2] for number in (0, 1)]
    rules = [_find_rule(half) if len(half) == years else None for half in halves]
    if all(rules):
        for half, rule in zip(halves, rules, strict=True):
            definition.add_component(_build_part(half[0], rule))
        return definition
    begin = datetime(min(first.year - 1, 1970), 1, 1)  # noqa: DTZ001
    # Nothing changes from then to the first change in the list.
    before = datetime(first.year - 1, 1, 1, tzinfo=ZoneInfo(name))
    offset = before.utcoffset() or timedelta()
    definition.add_component(_build_part(ClockChange(begin, offset, offset, before.tzname() or name), None))
    for change in changes:
        definition.add_component(_build_part(change, None))
    return definition


def _build_part(change: ClockChange, rule: YearlyRule | None) -> TimezoneStandard | TimezoneDaylight:
    from icalendar import TimezoneDaylight, TimezoneStandard

    part = TimezoneDaylight() if change.offset > change.offset_before else TimezoneStandard()
    part.add("dtstart", change.at)
    part.add("tzoffsetfrom", change.offset_before)
    part.add("tzoffsetto", change.offset)
    part.add("tzname", change.name)
    if rule is not None:
        day = f"{rule.week}{rule.weekday}"
        part.add("rrule", {"freq": "yearly", "bymonth": rule.month, "byday": day})
    return part


def _find_rule(changes: Sequence[ClockChange]) -> YearlyRule | None:
    """Returns the rule that all these changes follow, one a year, or None."""
    if len({(each.at.time(), each.offset_before, each.offset) for each in changes}) != 1:
        return None
    rules = [set(_list_rules(each.at.date())) for each in changes]
    common = set.intersection(*rules)
    # The last one of a month is more usual than its fourth.
    return min(common, key=lambda rule: rule.week) if common else None


def _list_rules(day: date) -> Iterator[YearlyRule]:
    weekday = _WEEKDAYS[day.weekday()]
    yield YearlyRule(day.month, (day.day - 1) // 7 + 1, weekday)
    if day.day + 7 > calendar.monthrange(day.year, day.month)[1]:
        yield YearlyRule(day.month, -1, weekday)


@lru_cache(256)
def _list_changes(name: str, first_year: int, last_year: int) -> tuple[ClockChange, ...]:
    """Lists the changes of the clock from the beginning of a year to the end of another."""
    zone = ZoneInfo(name)
    changes = []
    at, end = datetime(first_year, 1, 1, tzinfo=UTC), datetime(last_year + 1, 1, 1, tzinfo=UTC)
    while at < end:
        if _get_offset(zone, at) != _get_offset(zone, at + _DAY):
            changes.append(_find_change(zone, at, at + _DAY))
        at += _DAY
    return tuple(changes)


def _get_offset(zone: ZoneInfo, at: datetime) -> timedelta:
    return at.astimezone(zone).utcoffset() or timedelta()


def _find_change(zone: ZoneInfo, before: datetime, after: datetime) -> ClockChange:
    """Finds the change between two moments, to the second."""
    old, new = _get_offset(zone, before), _get_offset(zone, after)
    while after - before > timedelta(seconds=1):
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if _get_offset(zone, middle) == old:
            before = middle
        else:
            after = middle
    local = (after + old).replace(tzinfo=None)
    return ClockChange(local, old, new, after.astimezone(zone).tzname() or str(zone))
