"""Rules of a company's settings. No I/O, no clock."""

import re
from functools import cache
from zoneinfo import available_timezones

from trilha.core.errors import invalid

PASSWORD_MINIMUM, MAX_PASSWORD_MINIMUM = 8, 64
COLOUR = re.compile(r"#[0-9a-f]{6}")
_AREAS = frozenset(
    "Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific".split()  # noqa: SIM905
)


@cache
def time_zones() -> tuple[str, ...]:
    """Returns the IANA time zones of places, and UTC, in alphabetical order."""
    places = (name for name in available_timezones() if name.partition("/")[0] in _AREAS)
    return (*sorted(places), "UTC")


def check_password_length(password: str, minimum: int, field: str) -> None:
    """Checks a password that a person chooses. Raises Invalid (password_below_minimum)."""
    if len(password) < minimum:
        raise invalid(field, "password_below_minimum")
