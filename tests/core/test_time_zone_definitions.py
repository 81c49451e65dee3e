"""Definitions of time zones for calendars: read without a database of time zones, they give its offsets."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from icalendar import Timezone

from trilha.core.time_zone_definitions import build_time_zone

# Of both halves of the Earth, without clock changes, with changes by the moon, with odd offsets and with
# changes of half an hour, and where winter time is what deviates.
ZONES = (
    *("Europe/Lisbon", "America/New_York", "America/Sao_Paulo", "America/Santiago", "Africa/Casablanca"),
    *("Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Dublin", "Etc/GMT+3", "US/Eastern"),
)


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("first", [date(1985, 7, 1), date(2026, 3, 1), date(2031, 10, 20)])
def test_offsets(name: str, first: date) -> None:
    content = build_time_zone(name, first, first + timedelta(days=40)).to_ical()
    definition: Any = Timezone.from_ical(content)
    zone = definition.to_tz(lookup_tzid=False)
    for hours in range(0, 40 * 24, 7):
        local = datetime(first.year, first.month, first.day) + timedelta(hours=hours)  # noqa: DTZ001
        expected = {local.replace(tzinfo=ZoneInfo(name), fold=fold).utcoffset() for fold in (0, 1)}
        if len(expected) == 1:  # else the clock shows that time twice or never
            assert {zone.utcoffset(local)} == expected, local


def test_a_rule_that_outlook_reads() -> None:
    content = build_time_zone("America/New_York", date(2031, 3, 8), date(2031, 3, 9)).to_ical().decode()
    assert content.count("BEGIN:DAYLIGHT") == content.count("BEGIN:STANDARD") == 1
    assert "RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3" in content
    assert "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11" in content
    fixed = build_time_zone("America/Sao_Paulo", date(2031, 3, 8), date(2031, 3, 9)).to_ical().decode()
    assert "RRULE" not in fixed
    assert fixed.count("BEGIN:STANDARD") == 1
