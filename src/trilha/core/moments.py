"""Dates and times from forms, in the tenant's time zone."""

from datetime import date, datetime, time, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from trilha.core.types import InvalidValue, Text, Timestamp

# Beyond these years, a time zone's offset could lead out of the calendar.
_YEARS = range(2000, 2200)


def parse_iso_day(text: str) -> date | None:
    """Parses YYYY-MM-DD, and nothing else."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None


class IsoDay(Text):
    """A day from 1900 to 2199, YYYY-MM-DD."""

    __slots__ = ()
    schema: ClassVar[dict[str, Any]] = {"type": "string", "format": "date"}
    codes = ("invalid_date",)

    @classmethod
    def normalise(cls, text: str) -> str:
        day = parse_iso_day(text)
        if day is None or not 1900 <= day.year < 2200:
            raise InvalidValue("invalid_date")
        return text


class Day(Text):
    """The value of a `date` field: `2026-11-21`."""

    __slots__ = ()
    schema: ClassVar[dict[str, Any]] = {"type": "string", "format": "date"}
    codes = ("invalid_date",)

    @classmethod
    def normalise(cls, text: str) -> str:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            raise InvalidValue("invalid_date") from None
        if day.year not in _YEARS:
            raise InvalidValue("invalid_date")
        return day.isoformat()

    def as_date(self) -> date:
        return date.fromisoformat(self)

    def begin(self, time_zone: str) -> Timestamp:
        return _midnight(self.as_date(), time_zone)

    def end(self, time_zone: str) -> Timestamp:
        """Returns the end of the day."""
        return _midnight(self.as_date() + timedelta(days=1), time_zone)

    def last(self, time_zone: str) -> Timestamp:
        """Returns the last second of the day, for an end that is displayed with this date."""
        return Timestamp.of(self.end(time_zone).moment() - timedelta(seconds=1))


class LocalTime(Text):
    """The value of a `datetime-local` field: `2026-11-21T09:30`, without an offset."""

    __slots__ = ()
    schema: ClassVar[dict[str, Any]] = {"type": "string"}
    codes = ("invalid_date_time",)

    @classmethod
    def normalise(cls, text: str) -> str:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise InvalidValue("invalid_date_time") from None
        if moment.tzinfo is not None or moment.year not in _YEARS:
            raise InvalidValue("invalid_date_time")
        return moment.isoformat(timespec="minutes")

    @classmethod
    def of(cls, moment: datetime, time_zone: str) -> "LocalTime":
        return cls(moment.astimezone(ZoneInfo(time_zone)).strftime("%Y-%m-%dT%H:%M"))

    def within(self, time_zone: str) -> Timestamp:
        return Timestamp.of(datetime.fromisoformat(self).replace(tzinfo=ZoneInfo(time_zone)))


def _midnight(day: date, time_zone: str) -> Timestamp:
    return Timestamp.of(datetime.combine(day, time(), ZoneInfo(time_zone)))
