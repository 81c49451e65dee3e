"""The only source of the current time; tests replace it."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]

# Ages and expiry dates of documents are dates in Brazil, wherever the server runs.
BRAZIL = ZoneInfo("America/Sao_Paulo")


_offset = timedelta()


def shift(offset: timedelta) -> None:
    """Sets how far the clock of this process is ahead of the machine's, for testing due dates and
    expirations.
    """
    global _offset
    _offset = offset


def system_clock() -> datetime:
    return datetime.now(UTC) + _offset


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """Converts a time to this time zone.

    At the limits of the calendar it returns the time unchanged, because the conversion would overflow.
    Clients send the first and last possible time for always and never.
    """
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.replace(tzinfo=zone)


def civil_date(moment: datetime) -> date:
    """Returns the date in São Paulo at this time."""
    return in_zone(moment, BRAZIL).date()
