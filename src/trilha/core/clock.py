"""The one source of the present, replaced as a whole in tests."""

from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]

# Ages and document expiries are Brazilian civil dates, wherever the server runs.
BRAZIL = ZoneInfo("America/Sao_Paulo")


def system_clock() -> datetime:
    return datetime.now(UTC)


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """The moment in this time zone.

    At the ends of the calendar, where that is no date any more, its hours stay as they are: clients send the
    first and the last moment that there is, and mean always and never.
    """
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.replace(tzinfo=zone)


def civil_date(moment: datetime) -> date:
    """The calendar day in São Paulo at this moment."""
    return in_zone(moment, BRAZIL).date()
