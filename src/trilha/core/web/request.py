"""The request: its URL, headers and body."""

import asyncio
from collections.abc import AsyncIterator, Container
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, unquote_to_bytes

from trilha.core.errors import BadRequest, Invalid, Problem, problem
from trilha.core.net import Address, address_block
from trilha.core.web.deadlines import Arrival, Deadlines

Receive = Any
# the methods that some route uses
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
FORM = "application/x-www-form-urlencoded"
_MAX_PAIRS = 200
_LONG_FORM = 64 * 1024
_PIECE = 64 * 1024
_ASCII = bytes(range(128))
_USUAL = Deadlines()


class RequestedRoute(Protocol):
    """What identities and limits may know of the requested route."""

    @property
    def path(self) -> str: ...

    @property
    def access(self) -> object: ...

    @property
    def rate_limit(self) -> str | None: ...

    @property
    def max_body(self) -> int: ...

    @property
    def form(self) -> type | None: ...

    @property
    def lists(self) -> Container[str]: ...

    @property
    def from_other_sites(self) -> bool: ...


class Request:
    """An HTTP request. `path` is the path within its surface: `full_path` without the prefix."""

    __slots__ = (
        "_body",
        "_counted_as",
        "_form",
        "address",
        "answer_headers",
        "deadlines",
        "form_digest",
        "full_path",
        "headers",
        "id",
        "method",
        "notes",
        "path",
        "query",
        "receive",
        "route",
        "secure",
        "sent",
        "upload_folder",
    )

    def __init__(
        self,
        scope: dict[str, Any],
        receive: Receive,
        id: str,
        address: Address | None,
        deadlines: Deadlines = _USUAL,
    ) -> None:
        self.id = id
        self.deadlines = deadlines
        self.address = address
        self.method: str = scope["method"]
        self.full_path: str = scope["path"]
        self.path: str = scope["path"]
        query: bytes = scope["query_string"]
        self.query = percent_encoded(query)
        self.headers: list[tuple[bytes, bytes]] = scope["headers"]
        self.receive = receive
        self.secure = False
        self.route: RequestedRoute | None = None  # None if no route has this path and method
        self.upload_folder: Path | None = None
        self.sent: dict[str, Any] = {}  # the form's fields, once they are read
        self.form_digest: bytes | None = None  # what identifies a form with an Idempotency-Key
        # Headers that a handler adds to any response, such as cookies.
        self.answer_headers: list[tuple[bytes, bytes]] = []
        # details for the surface's `noted` callback
        self.notes: dict[str, Any] = {}
        self._counted_as: str | None = None
        self._body: bytes | None = None
        self._form: dict[str, Any] | None = None

    @property
    def source(self) -> str:
        """The client's address as text; empty if it cannot be read."""
        return "" if self.address is None else str(self.address)

    @property
    def counted_as(self) -> str:
        """The name under which the client's address counts against a limit."""
        if self._counted_as is None:
            self._counted_as = address_block(self.address)
        return self._counted_as

    def header(self, header_name: bytes) -> str | None:
        """Returns the first header with this lower-case name."""
        for name, value in self.headers:
            if name == header_name:
                return value.decode("latin-1")
        return None

    def all_headers(self, header_name: bytes) -> list[str]:
        return [value.decode("latin-1") for name, value in self.headers if name == header_name]

    def cookie(self, cookie_name: str) -> str | None:
        """Returns the first cookie with this name. Browsers send the one with the longest path first.

        Only the blanks of RFC 6265 are stripped. With other blanks, the name is a different one, which a
        neighboring host could set although it may not set one with `__Host-`.
        """
        for header in self.all_headers(b"cookie"):
            for each in header.split(";"):
                name, equals, value = each.strip(" \t").partition("=")
                if equals and name == cookie_name:
                    return value.strip('"')
        return None

    @property
    def media_type(self) -> str:
        """The media type in lower case without parameters; empty if there is none."""
        return (self.header(b"content-type") or "").partition(";")[0].strip().lower()

    @property
    def announces_body(self) -> bool:
        """Whether the request can have a body (RFC 9112 section 6.3)."""
        length = self.header(b"content-length")
        return self.header(b"transfer-encoding") is not None if length is None else length.strip() != "0"

    def get_content_length(self, limit: int) -> int:
        """Returns the announced length of the body, up to `limit`, or `limit` if none is announced."""
        length = (self.header(b"content-length") or "").strip()
        return min(int(length), limit) if length.isdecimal() and len(length) < 16 else limit

    @property
    def is_framed(self) -> bool:
        """Whether the body has no transfer coding or is chunked. No other coding is supported."""
        codings = ",".join(self.all_headers(b"transfer-encoding"))
        return not codings or codings.strip().lower() == "chunked"

    async def body(self, limit: int) -> bytes:
        """Returns the complete body. Raises BadRequest if it has, or announces, more than `limit` bytes."""
        if self._body is None:
            arrival = self._begin(limit)
            pieces = [await arrival.receive()]
            while arrival.more:
                pieces.append(await arrival.receive())
            self._body = b"".join(pieces)
        return self._body

    async def pieces(self, limit: int) -> AsyncIterator[bytes]:
        """Yields the body as it arrives, up to `limit` bytes. Raises BadRequest, and RequestTimeout if it
        is slow.
        """
        arrival = self._begin(limit)
        while arrival.more:
            yield await arrival.receive()

    def _begin(self, limit: int) -> Arrival:
        announced = self.header(b"content-length") or ""
        if announced.isdecimal() and int(announced) > limit:
            raise BadRequest("payload_too_large")
        return Arrival(self.deadlines, limit, self.receive)

    async def form(self, limit: int, lists: Container[str] = ()) -> dict[str, Any]:
        """Returns the fields of an HTML form; `lists` are those that may be repeated.

        Empty fields count as left out. Raises BadRequest and Invalid.
        """
        if self._form is None:
            body = await self.body(limit)
            if self.media_type != FORM:
                raise BadRequest("unsupported_media_type")
            # Parsing a long form takes a while and must not block the event loop.
            if len(body) > _LONG_FORM:
                self._form = await asyncio.to_thread(parse_form, body, lists)
            else:
                self._form = parse_form(body, lists)
        return self._form


def percent_encoded(address: bytes) -> str:
    """Percent-encodes characters beyond ASCII, which clients may send unencoded (RFC 3986)."""
    return address.decode() if address.isascii() else quote(address, safe=_ASCII)


def _form_pair(encoded: bytes) -> tuple[str, str]:
    """Decodes a name and value of application/x-www-form-urlencoded. Raises UnicodeDecodeError."""
    name, _, value = encoded.replace(b"+", b" ").partition(b"=")
    return unquote(name).decode(), unquote(value).decode()


def unquote(text: bytes) -> bytes:
    """Decodes escapes, in pieces, because the library needs eighty times the memory of its input."""
    pieces, at = [], 0
    while at < len(text):
        end = at + _PIECE
        divided = text.find(b"%", end - 2, end)  # do not split an escape of three bytes
        end = end if divided < 0 else divided
        pieces.append(unquote_to_bytes(text[at:end]))
        at = end
    return b"".join(pieces)


def parse_form(body: bytes, lists: Container[str] = ()) -> dict[str, Any]:
    """Parses a form. Raises Invalid for malformed input, and for a repeated field that is not in `lists`."""
    if body.count(b"&") >= _MAX_PAIRS:
        raise Invalid([problem("body", "invalid_text")])
    try:
        pairs = [_form_pair(each) for each in body.split(b"&") if each]
    except ValueError:
        raise Invalid([problem("body", "invalid_text")]) from None
    fields: dict[str, Any] = {}
    repeated: list[Problem] = []
    for name, value in pairs:
        if name in lists:
            fields.setdefault(name, []).append(value)
            continue
        if name in fields:
            repeated.append(problem(name[:100], "duplicate_parameter"))
        fields[name] = value
    if repeated:
        raise Invalid(repeated)
    return {name: value for name, value in fields.items() if value}
