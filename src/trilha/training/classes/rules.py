"""Decides on sessions, places and attendance. No I/O, no clock."""

import math
from datetime import datetime, timedelta
from functools import cache
from typing import Literal
from zoneinfo import available_timezones

from trilha.core.text_keys import build_text_key

Method = Literal["LIST", "QR", "SIGNATURE"]
RegistrationStatus = Literal["REGISTERED", "WAITLISTED", "CANCELLED"]
MAX_SESSIONS = 100
MAX_INSTRUCTORS = 20
MAX_PEOPLE = 10_000
MAX_ENTRIES = 1000
MAX_WARNINGS = 100
# Files beside the zones, which name none.
_NO_ZONES = ("Factory", "localtime", "posixrules")
_MAX_ROOM_KEY = 800  # characters
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=7)


@cache
def list_time_zones() -> frozenset[str]:
    """Returns the names of the IANA time zone database, with those of its links."""
    return frozenset(name for name in available_timezones() if name not in _NO_ZONES)


def build_room_key(room: str | None) -> str | None:
    """Returns one key for all spellings of a room's name."""
    return None if room is None else build_text_key(room, _MAX_ROOM_KEY)


def measure(starts_at: datetime, ends_at: datetime) -> int:
    """Returns the length of a session in whole minutes."""
    return int((ends_at - starts_at) / SHORTEST)


def measure_rest(now: datetime, starts_at: datetime, ends_at: datetime) -> int:
    """Returns the minutes from now to the end of a session. A minute that has begun counts, so that who
    checks in within the first minute has the whole session.
    """
    return min(math.ceil((ends_at - now) / SHORTEST), measure(starts_at, ends_at))


def decide_place(
    registered: int, waitlisted: int, maximum_people: int, *, waiting_list: bool
) -> Literal["REGISTERED", "WAITLISTED"] | None:
    """Returns what one more person gets; None if the class is full. Nobody passes those who wait."""
    if registered < maximum_people and not waitlisted:
        return "REGISTERED"
    return "WAITLISTED" if waiting_list else None
