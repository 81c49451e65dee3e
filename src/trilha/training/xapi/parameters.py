"""Reads the parameters of requests. Unknown ones, and those in another case, are refused."""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import unquote_plus
from uuid import UUID

from trilha.core.errors import ApiError
from trilha.training.xapi import decoding, validation
from trilha.training.xapi.errors import refuse
from trilha.training.xapi.times import parse_timestamp

_MAX_PARAMETERS = 50
_MAX_BYTES = 64 * 1024
_BOOLEANS = {"true": True, "false": False}


def _refuse(message: str) -> ApiError:
    return refuse("invalid_xapi_parameter", message)


def split_query(query: str) -> dict[str, str]:
    """Splits a query string or a form. Raises ApiError for a parameter that is repeated or not UTF-8."""
    if len(query) > _MAX_BYTES or query.count("&") >= _MAX_PARAMETERS:
        raise _refuse("There are too many parameters, or too long ones.")
    parameters: dict[str, str] = {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if not pair:
            continue
        try:
            name, value = unquote_plus(name, errors="strict"), unquote_plus(value, errors="strict")
        except UnicodeDecodeError:
            raise _refuse("A parameter is not encoded as UTF-8.") from None
        if name in parameters:
            raise _refuse(f"The parameter {name[:100]} is repeated.")
        if "\x00" in value:
            raise _refuse(f"The parameter {name[:100]} has a NUL character.")
        parameters[name] = value
    return parameters


class Parameters:
    """The parameters of a request to one resource."""

    def __init__(self, values: Mapping[str, str], allowed: Collection[str]) -> None:
        for name in values:
            if name not in allowed:
                raise _refuse(f"There is no parameter {name[:100]!r} here.")
        self._values = values

    def __contains__(self, name: str) -> bool:
        return name in self._values

    @property
    def names(self) -> set[str]:
        return set(self._values)

    def text(self, name: str, longest: int = 1024) -> str:
        """Returns a required parameter."""
        value = self._values.get(name)
        if not value or len(value) > longest:
            raise _refuse(f"The parameter {name} is required, with at most {longest} characters.")
        return value

    def iri(self, name: str) -> str:
        value = self.text(name, 2048)
        if not validation.is_iri(value):
            raise _refuse(f"The parameter {name} must be an IRI.")
        return value

    def find_iri(self, name: str) -> str | None:
        return self.iri(name) if name in self else None

    def uuid(self, name: str) -> UUID:
        value = self.text(name)
        if not validation.is_uuid(value):
            raise _refuse(f"The parameter {name} must be a UUID.")
        return UUID(value)

    def find_uuid(self, name: str) -> UUID | None:
        return self.uuid(name) if name in self else None

    def find_time(self, name: str) -> int | None:
        """Returns microseconds since 1970."""
        if name not in self:
            return None
        micros = parse_timestamp(self.text(name))
        if micros is None:
            raise _refuse(f"The parameter {name} must be a timestamp.")
        return micros

    def boolean(self, name: str) -> bool:
        value = self._values.get(name, "false")
        if value not in _BOOLEANS:
            raise _refuse(f"The parameter {name} must be true or false.")
        return _BOOLEANS[value]

    def number(self, name: str, default: int) -> int:
        value = self._values.get(name, str(default))
        if not value.isascii() or not value.isdecimal() or len(value) > 18:
            raise _refuse(f"The parameter {name} must be a whole number.")
        return int(value)

    def choice(self, name: str, *allowed: str) -> str:
        value = self._values.get(name, allowed[0])
        if value not in allowed:
            raise _refuse(f"The parameter {name} must be one of {', '.join(allowed)}.")
        return value

    def agent(self, name: str, *, or_group: bool = False) -> dict[str, Any]:
        """Returns an agent, or an identified group."""
        try:
            agent = decoding.decode(self.text(name, 16 * 1024).encode())
            validation.check_actor(agent, name, only=None if or_group else "Agent")
        except ApiError as error:
            problem = (error.detail or {}).get("problem", error.message)
            raise _refuse(f"The parameter {name} must be an agent: {problem}") from None
        if not any(each in agent for each in ("mbox", "mbox_sha1sum", "openid", "account")):
            raise _refuse(f"The parameter {name} must have an identifier.")
        return agent  # type: ignore[no-any-return]
