"""Settings as fields of a dataclass, each read from the environment variable of its name."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

from trilha.core.secrets import parse_keyring
from trilha.core.web.rate_limits import Limit

PREFIX = "TRILHA_"
LIMIT_FORM = "count/length, such as 1500/15m"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_CENTURY = timedelta(days=36_500)


class SettingError(ValueError):
    """An invalid variable. The message is one sentence that says what it accepts."""


def setting(default: Any, read: Callable[[str], Any], form: str, meaning: str) -> Any:
    """Declares a field. `read` raises ValueError for a value that does not have the `form`."""
    return field(default=default, metadata={"read": read, "form": form, "meaning": meaning})


def limit(text: str) -> Limit:
    """Parses a limit such as `1500/15m`. Raises ValueError."""
    count, _, length = text.partition("/")
    amount, unit = length[:-1] or "1", length[-1:]
    read = Limit(int(count), int(amount) * _SECONDS[unit])
    if read.requests < 1 or read.seconds < 1:
        raise ValueError(text)
    return read


def duration(text: str) -> timedelta:
    """Parses a duration such as `400d`, of at most 100 years. Raises ValueError."""
    if not re.fullmatch("[0-9]{1,10}[smhd]", text):
        raise ValueError(text)
    read = timedelta(seconds=int(text[:-1]) * _SECONDS[text[-1]])
    if read > _CENTURY:
        raise ValueError(text)
    return read


def choice(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return read


def number(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not low <= int(text) <= high:
            raise ValueError(text)
        return int(text)

    return read


def matching(pattern: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(text)
        return text

    return read


def ip(text: str) -> str:
    """Parses an address without brackets. Names are refused, because one may have several addresses.
    Raises ValueError.
    """
    return str(ip_address(text.strip()))


def master_key(text: str) -> str:
    """Checks a master key with `parse_keyring`, and returns it unchanged. Raises ValueError."""
    parse_keyring(text)
    return text


def origin(text: str) -> str:
    """Parses a URL without a path. Raises ValueError."""
    parts = urlsplit(text)
    _ = parts.port  # raises ValueError
    bare = not (parts.username or parts.query or parts.fragment) and parts.path in ("", "/")
    if parts.scheme not in ("http", "https") or not parts.hostname or not bare or not text.isascii():
        raise ValueError(text)
    return text


def postgresql_url(text: str) -> str:
    parts = urlsplit(text)
    _ = parts.port  # raises ValueError
    if parts.scheme not in ("postgresql", "postgres"):
        raise ValueError(text)
    return text


def limits_url(text: str) -> str:
    """Validates the URL of a Valkey or Redis server. Raises ValueError."""
    parts = urlsplit(text)
    _ = parts.port  # raises ValueError
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise ValueError(text)
    return text


def content_url(text: str) -> str:
    """Parses an origin whose first label is a wildcard. Raises ValueError."""
    parts = urlsplit(text)
    host = (parts.hostname or "").removeprefix("*.")
    _ = parts.port  # raises ValueError
    whole = parts.netloc and not parts.username and parts.path in ("", "/") and not parts.query
    if parts.scheme not in ("http", "https") or not whole or not text.isascii():
        raise ValueError(text)
    if not (parts.hostname or "").startswith("*.") or "*" in host or not host.strip("."):
        raise ValueError(text)
    return text.rstrip("/")


def read_all(
    settings: type[Any],
    environ: Mapping[str, str],
    *,
    others: Collection[str],
    secret: Collection[str],
    together: Iterable[tuple[str, str]],
) -> dict[str, Any]:
    """Returns the values of the fields that are set. `others` are variables of other programs.

    Values of `secret` variables are not displayed in errors. Variables in `together` must be set together.
    Raises SettingError.
    """
    known = {PREFIX + each.name.upper(): each for each in fields(settings)}
    for name in environ:
        if name.startswith(PREFIX) and name not in known and name not in others:
            raise SettingError(f"{name} is not a setting; `trilha settings` lists them.")
    values = {}
    for name, each in known.items():
        if text := environ.get(name):
            try:
                text.encode()  # bytes that are not UTF-8 arrive as surrogates
                values[each.name] = each.metadata["read"](text)
            except (ValueError, KeyError):
                given = "is not usable" if each.name in secret else f"is {text!r}"
                raise SettingError(f"{name} {given}; it takes {each.metadata['form']}.") from None
    for one, other in together:
        if (one in values) != (other in values):
            names = f"{PREFIX}{one.upper()} and {PREFIX}{other.upper()}"
            raise SettingError(f"{names} belong together: set both, or neither.")
    return values


@dataclass(frozen=True)
class SettingDescription:
    """One line of `trilha settings`."""

    name: str
    value: str
    default: str
    source: str
    form: str
    meaning: str


def describe_all(
    settings: Any, environ: Mapping[str, str], *, secret: Collection[str]
) -> list[SettingDescription]:
    rows = []
    for each in fields(settings):
        name = PREFIX + each.name.upper()
        value = getattr(settings, each.name)
        printed = "(secret)" if value and each.name in secret else _text(value)
        source = "environment" if environ.get(name) else "default"
        meta = cast("dict[str, str]", each.metadata)
        default, form, meaning = _text(each.default), meta["form"], meta["meaning"]
        rows.append(SettingDescription(name, printed, default, source, form, meaning))
    return rows


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, timedelta):
        return f"{value.days}d" if value and not value.seconds else f"{value // timedelta(seconds=1)}s"
    return "" if value is None else str(value)
