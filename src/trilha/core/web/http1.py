"""HTTP/1.1 on one connection: uvicorn's protocol, with bounds on what a client may leave open.

By itself it waits for a request's head for ever and takes one of any size, queues as many requests as are
sent before the first is answered, appends trailers to the headers of a request that is being answered, and
loses the body of a request that offers another protocol, as those of Java's client do. Its parser refuses an
address that is not percent-encoded, which clients send all the same, and a method that it does not know,
which is for the surface to refuse.
"""

import asyncio
import re
from collections.abc import Sized
from typing import Any

import httptools
import uvloop
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from trilha.core.web.request import METHODS, percent_encoded

_HEAD_BYTES = 64 * 1024
_HEADERS = 100
_WAITING = 100
_TLS_SECONDS = 10
_TLS_CLOSE_SECONDS = 2
_FRAMING = (b"content-length", b"transfer-encoding")
# CONNECT asks for another connection: it is refused before there is a surface.
_METHODS = tuple([f"{method} ".encode() for method in (*METHODS, "CONNECT")])
_ANY_METHOD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+(?= )")  # RFC 9110 section 5.6.2
_OTHER_METHOD = b"PURGE"  # one that the parser knows, and no route has
_REFUSALS = {
    400: (b"Bad Request", b"This is no HTTP/1.1 request.\n"),
    431: (b"Request Header Fields Too Large", b"The head of a request has at most 64 KiB and 100 fields.\n"),
}


class _Flow(FlowControl):
    """Nothing more is read while requests that came together wait for their turn."""

    def __init__(self, transport: asyncio.Transport, waiting: Sized) -> None:
        super().__init__(transport)
        self._waiting = waiting

    def resume_reading(self) -> None:
        if not self._waiting:
            super().resume_reading()


class _Sending:
    """The connection as the answer to one request writes to it: what is written first, an answer's head, goes
    out with what is written next, as one packet for which the client wakes up once.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._is_first = True
        self._held: bytes | None = None

    def write(self, data: bytes) -> None:
        if self._is_first:
            self._is_first = False
            self._held = data
            self._loop.call_soon(self._release)  # whatever comes of it: a body may be long in coming
        elif self._held is not None:
            held, self._held = self._held, None
            self._transport.writelines((held, data) if data else (held,))
        else:
            self._transport.write(data)

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None and not self._transport.is_closing():
            self._transport.write(held)

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def close(self) -> None:
        self._release()
        self._transport.close()


class Http1(HttpToolsProtocol):
    """One connection.

    `config.timeout_keep_alive` is how many seconds a head may take, counted from the answer before it: one
    that comes drop by drop gets no more. `config.limit_concurrency` is how many connections a process has.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Past this many, uvicorn answers 503 once it has a whole head. Others would have to wait for that.
        self._most, self.limit_concurrency = self.limit_concurrency, None
        self._running: RequestResponseCycle | None = None  # what is answered; `cycle` came last
        self._refusal = 400
        self._is_refused = False
        self._in_head = True
        self._in_first_line = True
        self._is_resuming = False
        self._bytes = 0  # of a head, or since the last piece of a body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self.flow = _Flow(self.transport, self.pipeline)
        if self._most is not None and len(self.connections) > self._most:
            self.transport.abort()
            return
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_running()
        self.pipeline.clear()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        while data and not self._is_refused:
            self._bytes += len(data)
            goes_on = False
            if self._in_head and self._in_first_line:
                if self._bytes == len(data):  # a head begins with it
                    data = _with_known_method(data)
                data, goes_on = _encode_first_line(data)
                self._in_first_line = False
            rest = b""
            try:
                try:
                    self.parser.feed_data(data)
                except httptools.HttpParserUpgrade as offer:
                    rest = data[offer.args[0] :]
                    self._decline()
                if self._bytes > _HEAD_BYTES and not rest:
                    self._refusal = 431
                    raise httptools.HttpParserError
            except httptools.HttpParserError:
                self._refuse()
            self._in_first_line |= goes_on
            data = rest

    def _decline(self) -> None:
        """The request is answered as it is (RFC 9110 section 7.8). The parser has given up at the end of its
        head: another reads its body."""
        framing = [b"%b: %b\r\n" % (name, value) for name, value in self.headers if name in _FRAMING]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        if framing and not self._in_head:
            self._is_resuming = True
            self.parser.feed_data(b"POST / HTTP/1.1\r\n" + b"".join(framing) + b"\r\n")

    def _refuse(self) -> None:
        """Ends the connection: after the answers to what came before, or with one that says why."""
        self._is_refused = True
        running, last, is_later = self._running, self.cycle, self._in_head
        if self.pipeline and not self._in_head:
            self.pipeline.popleft()  # its body is what is refused
            last, is_later = (self.pipeline[0][0] if self.pipeline else running), True  # type: ignore[assignment]
        if is_later and running is not None and not running.response_complete:
            last.keep_alive = False
            return
        if running is None or running.response_complete or not running.response_started:
            phrase, text = _REFUSALS[self._refusal]
            self.transport.write(
                b"HTTP/1.1 %d %b\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n"
                b"connection: close\r\n\r\n%b" % (self._refusal, phrase, len(text), text)
            )
        self._end_running()
        self.transport.close()

    def _end_running(self) -> None:
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        cycle.transport = _Sending(self.transport, self.loop)  # type: ignore[assignment]
        super()._start_asgi_task(cycle, app)

    # What the parser calls.

    def on_message_begin(self) -> None:
        if not self._is_resuming:
            self._in_first_line = False
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
        if len(self.pipeline) >= _WAITING or self.parser.get_method() == b"CONNECT":
            raise ValueError("not served")
        self._in_head = False
        self._bytes = 0
        self._unset_keepalive_if_required()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade() and any(name in _FRAMING for name, _ in self.headers):
            return  # its body is still to come
        self._in_head = self._in_first_line = True
        self._bytes = 0
        super().on_message_complete()


def _with_known_method(data: bytes) -> bytes:
    """The beginning of a request, with one method for all that nothing here is asked by."""
    if data.startswith(_METHODS):
        return data
    method = _ANY_METHOD.match(data)
    return data if method is None else _OTHER_METHOD + data[method.end() :]


def _encode_first_line(data: bytes) -> tuple[bytes, bool]:
    """The address in it, which the parser takes percent-encoded alone; and whether the line goes on."""
    end = data.find(b"\n")
    line = data if end < 0 else data[:end]
    if line.isascii():
        return data, end < 0
    return percent_encoded(line).encode() + data[len(line) :], end < 0


class Loop(uvloop.Loop):
    """An event loop whose servers bound how long the beginning and the end of TLS may take."""

    async def create_server(self, *args: Any, **options: Any) -> Any:
        if options.get("ssl"):
            options["ssl_handshake_timeout"] = _TLS_SECONDS
            options["ssl_shutdown_timeout"] = _TLS_CLOSE_SECONDS
        return await super().create_server(*args, **options)
