"""Limits what a connection receives, before the HTTP client reads it."""

import asyncio
import re
from contextvars import ContextVar
from functools import partial
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

# bytes received before the headers are complete; parsing more would block the event loop
_HEAD_BYTES = 64 * 1024
_HEAD_END = re.compile(rb"\n\r?\n")


def one_response_each(connector: aiohttp.TCPConnector) -> None:
    """Makes connections return one response for each request, whatever else the server sends."""
    connector._factory = partial(_SingleResponse, asyncio.get_running_loop())  # type: ignore[assignment]


# Whether the request of this task was sent on a reused connection.
on_reused_connection: ContextVar[bool] = ContextVar("reused", default=False)


class _SingleResponse(ResponseHandler):
    """Returns one response for each request, whatever else the server sends.

    The library parses all bytes that arrive together, and takes those after a response for the response to
    the next request. So each head is passed to it separately, and bytes after a response end the
    connection.
    """

    _requests = 0
    _responded = False
    _read = 0
    _last = b""

    def set_response_params(self, **options: Any) -> None:
        self._responded, self._read, self._last = False, 0, b""  # a request is about to be sent
        on_reused_connection.set(self._requests > 0)
        self._requests += 1
        super().set_response_params(**options)

    def data_received(self, data: bytes) -> None:
        while data and not self._responded and not self._exception:
            head, data = self._split_head(data)
            self._read += len(head)
            if self._read <= _HEAD_BYTES:
                super().data_received(head)
            else:
                self.close()
                self.set_exception(HttpProcessingError(message="too much before a response"))
        if data and self._responded:
            self._receive_rest(data)

    def feed_data(self, data: Any, size: int = 0) -> None:
        if self._responded:
            self.force_close()
            return
        self._responded = data[0].code >= 200 or data[0].code == 101
        super().feed_data(data, size)

    def _split_head(self, data: bytes) -> tuple[bytes, bytes]:
        """Splits data after the end of a head. The empty line may arrive in pieces."""
        seen = self._last + data
        end = _HEAD_END.search(seen)
        self._last = b"" if end else seen[-2:]
        length = end.end() - len(seen) + len(data) if end else len(data)
        return data[:length], data[length:]

    def _receive_rest(self, data: bytes) -> None:
        if self._payload is not None and not self._payload.is_eof():
            super().data_received(data)
        else:
            self.force_close()
            self.close()
