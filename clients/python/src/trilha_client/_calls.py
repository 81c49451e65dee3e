"""A call of the API as a value, and the base of the resources that make calls."""

from __future__ import annotations

import json
import sys
import urllib.parse
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar, cast

import httpx2

from trilha_client._version import __version__
from trilha_client.errors import make_error

Answer = TypeVar("Answer")
Row = TypeVar("Row")
# A moment of a filter. A datetime must have a time zone.
Time = datetime | str

_USER_AGENT = f"trilha-client/{__version__} python/{sys.version_info.major}.{sys.version_info.minor}"


@dataclass(frozen=True)
class Page(Generic[Row]):
    """A page of a list. `meta` has what the API says about the whole list."""

    data: list[Row]
    next_cursor: str | None
    has_more: bool
    limit: int
    meta: Mapping[str, Any]


@dataclass(frozen=True)
class Call(Generic[Answer]):
    """`Answer` is the type of what `decode` returns. With `is_raw`, that is the whole body."""

    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    idempotency_key: str | None = None
    is_raw: bool = False

    def build(self, http: httpx2.Client | httpx2.AsyncClient, base: str) -> httpx2.Request:
        """Builds the request of all attempts, so that they have the same Idempotency-Key."""
        headers = {"user-agent": _USER_AGENT, "accept": "application/json, text/csv"}
        if self.method == "POST":
            headers["idempotency-key"] = self.idempotency_key or str(uuid.uuid4())
        content = None
        if self.body is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(self.body, default=_encode).encode()
        query = {name: _text(value) for name, value in self.query.items() if value is not None}
        return http.build_request(
            self.method, base + self.path, params=query or None, content=content, headers=headers
        )

    def decode(self, response: httpx2.Response) -> Answer:
        """Returns the content of `data`, with the members of `_meta`.

        Raises ApiError if something other than Trilha answered.
        """
        kind = response.headers.get("content-type", "").partition(";")[0]
        # An answer of 404 is that to deleting what an earlier attempt has deleted.
        if response.status_code in (204, 404):
            return cast(Answer, None)
        if kind == "text/csv":
            return cast(Answer, response.text)
        if kind != "application/json":
            raise make_error(response)
        return cast(Answer, self._read(response.json()))

    def _read(self, body: dict[str, Any]) -> Any:
        if self.is_raw:
            return body
        if "next_cursor" in body:
            members = {name: body[name] for name in ("data", "next_cursor", "has_more", "limit")}
            return Page(**members, meta=body.get("_meta", {}))
        return {**body["data"], **body["_meta"]} if "_meta" in body else body["data"]


class Send(Protocol):
    def __call__(self, call: Call[Answer], /) -> Answer: ...


class AsyncSend(Protocol):
    def __call__(self, call: Call[Answer], /) -> Awaitable[Answer]: ...


class Resource:
    def __init__(self, send: Send) -> None:
        self._send = send


class AsyncResource:
    def __init__(self, send: AsyncSend) -> None:
        self._send = send


def quote(place: str) -> str:
    """Returns a part of a path. Raises ValueError if it would lead to another path."""
    if place in ("", ".", ".."):
        raise ValueError(f"{place!r} cannot be the id of anything.")
    return urllib.parse.quote(place, safe="")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _encode(value) if isinstance(value, datetime) else str(value)


def _encode(value: object) -> str:
    if isinstance(value, uuid.UUID):
        return str(value)
    isoformat: Callable[[], str] | None = getattr(value, "isoformat", None)
    if isoformat is None:
        raise TypeError(f"{value!r} cannot be sent as JSON.")
    return isoformat()
