"""The responses that a handler may return, and how they are sent.

A Struct is sent as JSON and None as an empty body. The other kinds are the classes here: `Html`, `Text`,
`Redirect`, `StoredFile`, `WrittenAnswer` and `Stream`.
"""

import asyncio
import gzip
from collections.abc import AsyncIterable, Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar

from trilha.core.types import to_json
from trilha.core.web.request import Request

T = TypeVar("T")
Send = Any
Headers = list[tuple[bytes, bytes]]
# The server buffers what a client has not read, so a longer body is sent in pieces.
_WHOLE_BYTES = 64 * 1024
_PIECE_BYTES = 16 * 1024
# a shorter page fits into one packet anyway
_PACKED_BYTES = 1024
_PACKED_LEVEL = 5


def encode_headers(headers: Mapping[str, str]) -> Headers:
    return [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]


class AcceptedResult(Generic[T]):
    """A result with the status 202 instead of the route's: the work is done later."""

    __slots__ = ("result",)
    status = 202

    def __init__(self, result: T) -> None:
        self.result = result


class Answer:
    """A response with a status, headers and a complete body; None for no body."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, body: bytes | None = None, headers: Headers | None = None) -> None:
        self.status = status
        self.body = body
        self.headers: Headers = headers or []

    async def send(self, send: Send, request: Request, extra_headers: Headers) -> None:
        """Sends the response, without a body for a HEAD request. `extra_headers` are those of the surface and
        the gateway.
        """
        body = self.body
        headers = [*self.headers, *extra_headers]
        if self.status not in (204, 304):
            headers.append((b"content-length", b"%d" % len(body or b"")))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        payload = b"" if body is None or request.method == "HEAD" else body
        if len(payload) > _WHOLE_BYTES:
            for start in range(0, len(payload), _PIECE_BYTES):
                if not await _send_piece(send, request, payload[start : start + _PIECE_BYTES]):
                    return
            payload = b""
        await send({"type": "http.response.body", "body": payload})


class TypedAnswer(Answer):
    """A response with a body of one media type."""

    __slots__ = ()
    media_type = "application/octet-stream"

    def __init__(
        self, body: str | bytes, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        raw = body.encode() if isinstance(body, str) else body
        super().__init__(status, raw, encode_headers({"content-type": self.media_type, **(headers or {})}))


class Html(TypedAnswer):
    """A page or a part of one, compressed if it is worth it and the client accepts it."""

    __slots__ = ()
    media_type = "text/html; charset=utf-8"

    async def send(self, send: Send, request: Request, extra_headers: Headers) -> None:
        headers = [*self.headers, (b"vary", b"accept-encoding")]
        body = self.body
        if body and len(body) > _PACKED_BYTES and accepts_gzip(request):
            body = gzip.compress(body, _PACKED_LEVEL, mtime=0)
            headers.append((b"content-encoding", b"gzip"))
        await Answer(self.status, body, headers).send(send, request, extra_headers)


def accepts_gzip(request: Request) -> bool:
    """Returns whether the client accepts gzip (RFC 9110 section 12.5.3). A client that does not say may be
    unable to decompress.
    """
    weights = {}
    for each in (request.header(b"accept-encoding") or "").lower().replace(" ", "").split(","):
        coding, _, weight = each.partition(";q=")
        weights[coding] = weight or "1"
    return bool(weights.get("gzip", weights.get("*", "")).strip("0."))


class Text(TypedAnswer):
    __slots__ = ()
    media_type = "text/plain; charset=utf-8"


class Csv(TypedAnswer):
    __slots__ = ()
    media_type = "text/csv; charset=utf-8"


class Json(TypedAnswer):
    """JSON that is already encoded."""

    __slots__ = ()
    media_type = "application/json"


class Redirect(Answer):
    """A redirect. After a form its status is 303, so that a reload does not send the form again."""

    __slots__ = ()

    def __init__(self, location: str, status: int = 303) -> None:
        super().__init__(status, b"", encode_headers({"location": location}))


class WrittenAnswer(Answer, Generic[T]):
    """A `T` that its handler encoded itself, with its own headers."""

    __slots__ = ()


class Stream(Answer, Generic[T]):
    """A body that is produced while it is sent, until the client disconnects. As a whole it is a `T`.

    A failure after the first piece can no longer be reported to the client: it is logged, and the
    connection is closed.
    """

    __slots__ = ("_pieces",)

    def __init__(
        self,
        pieces: AsyncIterable[bytes],
        media_type: str,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, None, encode_headers({"content-type": media_type, **(headers or {})}))
        self._pieces = pieces

    async def send(self, send: Send, request: Request, extra_headers: Headers) -> None:
        try:
            headers = self.headers + extra_headers
            await send({"type": "http.response.start", "status": self.status, "headers": headers})
            sending = asyncio.ensure_future(self._send_pieces(send, request))
            leaving = asyncio.ensure_future(_wait_for_disconnect(request))
            try:
                await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                leaving.cancel()
                if not sending.done():
                    sending.cancel()
                with suppress(asyncio.CancelledError):
                    await sending
        finally:
            if close := getattr(self._pieces, "aclose", None):
                await close()

    async def _send_pieces(self, send: Send, request: Request) -> None:
        if request.method != "HEAD":
            async for piece in self._pieces:
                if not await _send_piece(send, request, piece):
                    return
                # The server accepts a piece at once while it has room, so let other tasks run.
                await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b""})


async def _send_piece(send: Send, request: Request, piece: bytes) -> bool:
    """Sends a piece and waits until there is room for more. Returns False if the client does not read; the
    response is then cut short.
    """
    try:
        async with asyncio.timeout(request.deadlines.answer):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    except TimeoutError:
        return False
    return True


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def json_answer(status: int, value: object, media_type: bytes = b"application/json") -> Answer:
    return Answer(status, to_json(value), [(b"content-type", media_type)])
