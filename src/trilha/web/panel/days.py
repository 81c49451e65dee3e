"""Days that a form names, as moments in the company's time zone."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from trilha.core.errors import invalid
from trilha.core.types import Timestamp
from trilha.web.panel.view import PanelView

_LAST_YEAR = 9000  # so that the end of the day is still a valid moment in UTC


def end_of_day(day: date | None, view: PanelView, field: str) -> Timestamp | None:
    """Returns the last second of a day in the tenant's time zone. Raises Invalid (invalid_date)."""
    if day is None:
        return None
    if day.year > _LAST_YEAR:
        raise invalid(field, "invalid_date")
    return Timestamp.of(datetime.combine(day, time(23, 59, 59), ZoneInfo(view.viewer.time_zone)))
