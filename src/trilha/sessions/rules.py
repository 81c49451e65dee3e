"""How long sessions and links last, what tokens look like, and what a browser calls itself."""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

IDLE = timedelta(hours=2)
ABSOLUTE = timedelta(hours=12)
EMAIL_CHANGE_LINK = timedelta(hours=24)
LinkPurpose = Literal["reset", "invitation"]
RESET_LINK = timedelta(hours=1)
INVITATION_LINK = timedelta(days=7)
LINKS: Mapping[LinkPurpose, timedelta] = {"reset": RESET_LINK, "invitation": INVITATION_LINK}
RECOVERY_CODES = 10
# So many wrong codes within this time lock the second factor for as long.
WRONG_CODES = 10
WRONG_CODES_WITHIN = timedelta(hours=1)
# Without 0 O 1 I L, which are mistaken for one another.
_CODE_CHARACTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_TOKEN_PREFIX = "trl_session_"  # noqa: S105
_AGENT_LENGTH = 300
# In the order in which they are looked for: browsers name those whose pages they want to be given.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def new_token() -> str:
    """256 random bits."""
    return _TOKEN_PREFIX + secrets.token_urlsafe(32)


def is_session_token(text: str) -> bool:
    return text.startswith(_TOKEN_PREFIX) and len(text) < 100


def new_recovery_codes() -> list[str]:
    """Each of 50 random bits, as `XXXXX-XXXXX`."""
    return [f"{_five()}-{_five()}" for _ in range(RECOVERY_CODES)]


def _five() -> str:
    return "".join(secrets.choice(_CODE_CHARACTERS) for _ in range(5))


def normalised_code(text: str) -> str:
    """A code as it is compared: people type spaces, hyphens and small letters."""
    return "".join(text.split()).replace("-", "").upper()


def shortened_agent(agent: str) -> str:
    """What can be stored of a User-Agent."""
    return "".join(character for character in agent if character.isprintable())[:_AGENT_LENGTH]


def device(agent: str) -> str:
    """A browser and its system, such as `Firefox, Windows`; empty where neither is known."""
    found = (next((name for mark, name in marks if mark in agent), None) for marks in (_BROWSERS, _SYSTEMS))
    return ", ".join(name for name in found if name)
