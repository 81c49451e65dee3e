"""Lifetimes of sessions and links, formats of tokens and codes, and names of browsers."""

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
# This many wrong codes within this period lock the second factor for the same period.
WRONG_CODES = 10
WRONG_CODES_WITHIN = timedelta(hours=1)
# Without 0 O 1 I L, which are easily confused.
_CODE_CHARACTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_TOKEN_PREFIX = "trl_session_"  # noqa: S105
_AGENT_LENGTH = 300
# In this order, because user agents also name browsers that they imitate.
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
    """Returns a token with 256 random bits."""
    return _TOKEN_PREFIX + secrets.token_urlsafe(32)


def is_session_token(text: str) -> bool:
    return text.startswith(_TOKEN_PREFIX) and len(text) < 100


def new_recovery_codes() -> list[str]:
    """Returns codes of the form `XXXXX-XXXXX`, each with 50 random bits."""
    return [f"{_five()}-{_five()}" for _ in range(RECOVERY_CODES)]


def _five() -> str:
    return "".join(secrets.choice(_CODE_CHARACTERS) for _ in range(5))


def normalize_code(text: str) -> str:
    """Returns the form of a code for comparison, without the spaces, hyphens and lower case that people
    type.
    """
    return "".join(text.split()).replace("-", "").upper()


def shorten_agent(agent: str) -> str:
    """Returns the part of a User-Agent that we store."""
    return "".join(character for character in agent if character.isprintable())[:_AGENT_LENGTH]


def device(agent: str) -> str:
    """Returns a browser and its system, such as `Firefox, Windows`; empty if neither is known."""
    names = (next((name for mark, name in marks if mark in agent), None) for marks in (_BROWSERS, _SYSTEMS))
    return ", ".join(name for name in names if name)
