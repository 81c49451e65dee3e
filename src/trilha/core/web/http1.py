"""HTTP/1.1 on one connection: uvicorn's protocol, with bounds on what a client may leave open.

By itself it waits for a request's head for ever and takes one of any size, appends trailers to the headers
of a request that is being answered, and loses the body of a request that offers another protocol, as those of
Java's client do. Its parser refuses an address that is not percent-encoded, which clients send all the same.
"""

import asyncio
from typing import Any
from urllib.parse import quote

import httptools
import uvloop
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HEAD_BYTES = 64 * 1024
_HEADERS = 100
_TLS_SECONDS = 10
_ASCII = bytes(range(128))
_FRAMING = (b"content-length", b"transfer-encoding")
_REFUSALS = {
    400: (b"Bad Request", b"This is no HTTP/1.1 request with a method that is known.\n"),
    431: (b"Request Header Fields Too Large", b"The head of a request has at most 64 KiB and 100 fields.\n"),
}


class Http1(HttpToolsProtocol):
    """One connection.

    `config.timeout_keep_alive` is how many seconds a head may take, counted from the answer before it: one
    that comes drop by drop gets no more. `config.limit_concurrency` is how many connections a process has.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Past this many, uvicorn answers 503 once it has a whole head. Others would have to wait for that.
        self._most, self.limit_concurrency = self.limit_concurrency, None
        self._refusal = 400
        self._in_head = True
        self._in_first_line = True
        self._head_bytes = 0
        self._is_resuming = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        if self._most is not None and len(self.connections) > self._most:
            self.transport.abort()
            return
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
            if self._in_first_line:
                data = self._encode_first_line(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            self._decline(data[offer.args[0] :])
        except httptools.HttpParserError:
            self._refuse()
            return
        if self._in_head and self._head_bytes > _HEAD_BYTES:
            self._refusal = 431
            self._refuse()

    def _encode_first_line(self, data: bytes) -> bytes:
        """What of an address is not ASCII is percent-encoded (RFC 3986), whatever the client did."""
        end = data.find(b"\n")
        self._in_first_line = end < 0
        line = data if end < 0 else data[:end]
        return data if line.isascii() else quote(line, safe=_ASCII).encode() + data[len(line) :]

    def _decline(self, rest: bytes) -> None:
        """The request is answered as it is (RFC 9110 section 7.8). The parser has given up at the end of its
        head: another reads its body."""
        framing = [(name, value) for name, value in self.headers if name in _FRAMING]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        if framing and not self._in_head:
            self._is_resuming = True
            self.parser.feed_data(b"POST / HTTP/1.1\r\n")
            self.parser.feed_data(b"".join(b"%b: %b\r\n" % field for field in framing) + b"\r\n")
        if rest:
            self.data_received(rest)

    def _refuse(self) -> None:
        """Ends the connection, and says why where no answer is under way."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete or not (cycle.response_started or self.pipeline):
            phrase, text = _REFUSALS[self._refusal]
            self.transport.write(
                b"HTTP/1.1 %d %b\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n"
                b"connection: close\r\n\r\n%b" % (self._refusal, phrase, len(text), text)
            )
        if cycle is not None:
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.close()

    # What the parser calls.

    def on_message_begin(self) -> None:
        if not self._is_resuming:
            super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        if not self._is_resuming:
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        # After the head, these are trailers: whoever cleans headers in front may not have looked at them.
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._is_resuming:
            self._is_resuming = False
            return
        size = len(self.url) + sum([len(name) + len(value) for name, value in self.headers])
        if size > _HEAD_BYTES or len(self.headers) > _HEADERS:
            self._refusal = 431
            raise ValueError("too large")
        self._in_head = False
        super()._unset_keepalive_if_required()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade() and any(name in _FRAMING for name, _ in self.headers):
            return  # its body is still to come
        self._in_head = self._in_first_line = True
        self._head_bytes = 0
        super().on_message_complete()


class Loop(uvloop.Loop):
    """An event loop whose servers bound how long the beginning of TLS may take, which uvicorn does not."""

    async def create_server(self, *args: Any, **options: Any) -> Any:
        if options.get("ssl"):
            options["ssl_handshake_timeout"] = _TLS_SECONDS
        return await super().create_server(*args, **options)
