"""The one source of the present, replaced as a whole in tests."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]

# Ages and document expiries are Brazilian civil dates, wherever the server runs.
BRAZIL = ZoneInfo("America/Sao_Paulo")


def system_clock() -> datetime:
    return datetime.now(UTC)


def civil_date(moment: datetime) -> date:
    """The calendar day in São Paulo at this moment."""
    return moment.astimezone(BRAZIL).date()
