"""One attempt over HTTP: the bytes, the signatures, the address that is really connected to.

An attempt never raises: whatever a receiver does is an `Outcome`.
"""

import asyncio
import re
import ssl
import time
from collections.abc import Sequence
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import Any, Self

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from trilha.core.clock import Clock
from trilha.core.outbound.guard import Blocked, Guard
from trilha.core.outbound.http import guarded_connector, was_blocked
from trilha.core.types import Timestamp
from trilha.events.schema import envelope_bytes, event_name
from trilha.webhooks import rules
from trilha.webhooks.delivery import signing
from trilha.webhooks.schema import Claim, Outcome

_KEEP_ALIVE = 15
# How long the rest of an answer is waited for once its headers are here.
_BODY_SECONDS = 1.0
# How much is read before there is an answer: a flood would keep the loop from everything else.
_HEAD_BYTES = 64 * 1024
_HEAD_END = re.compile(rb"\n\r?\n")


class Sender:
    """A client session for as long as the worker runs."""

    def __init__(self, guard: Guard, clock: Clock, *, seconds: float, header_prefix: str, agent: str) -> None:
        self._guard = guard
        self._clock = clock
        self._target = lru_cache(4096)(self._parse)
        self._seconds = seconds
        self._prefix = header_prefix
        self._agent = agent
        self._reusing: Any = None
        self._fresh: Any = None

    async def __aenter__(self) -> Self:
        self._reusing = self._session(keepalive_timeout=_KEEP_ALIVE)
        self._fresh = self._session(force_close=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._reusing.close()
        await self._fresh.close()

    async def send(self, claim: Claim, secrets: Sequence[str]) -> Outcome:
        began, at = time.perf_counter(), self._clock()
        status, error, body, retry_after = None, None, None, None
        try:
            async with asyncio.timeout(self._seconds) as limit:
                response = await self._post(claim, secrets, int(at.timestamp()))
                limit.reschedule(None)
            status = response.status
            retry_after = rules.parse_retry_after(response.headers.get("Retry-After"), at)
            body = rules.keepable(await _beginning(response), secrets)
        except Exception as failure:
            error = _name(failure)
        return Outcome(
            at=Timestamp.of(at),
            http_status=status,
            error=error,
            duration_ms=round((time.perf_counter() - began) * 1000),
            response_body=body,
            retry_after=retry_after,
        )

    async def _post(self, claim: Claim, secrets: Sequence[str], now: int) -> Any:
        content = envelope_bytes(
            claim.event_id, claim.event_type, claim.event_at, claim.tenant_id, claim.data
        )
        headers = self._headers(claim, secrets, now, content)
        _reused.set(False)
        try:
            return await self._request(self._reusing, claim.url, content, headers)
        except (
            aiohttp.ServerDisconnectedError,
            aiohttp.ClientOSError,
            aiohttp.ClientResponseError,
        ) as failure:
            # The receiver had closed a kept connection, or still spoke of the last one: no fault of this one.
            if not _reused.get() or isinstance(failure, aiohttp.ClientConnectorError):
                raise
            return await self._request(self._fresh, claim.url, content, headers)

    async def _request(self, session: Any, url: str, content: bytes, headers: dict[str, str]) -> Any:
        return await session.post(
            self._target(url),
            data=aiohttp.BytesPayload(content),
            headers=headers,
            allow_redirects=False,
        )

    def _headers(self, claim: Claim, secrets: Sequence[str], now: int, content: bytes) -> dict[str, str]:
        name = event_name(claim.event_id)
        return {
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": self._agent,
            f"{self._prefix}Signature": signing.sign(secrets, now, content),
            f"{self._prefix}Event-Id": name,
            f"{self._prefix}Event-Type": claim.event_type,
            f"{self._prefix}Delivery-Id": str(claim.id),
            "webhook-id": name,
            "webhook-timestamp": str(now),
            "webhook-signature": signing.standard_signature(secrets, name, now, content),
        }

    def _parse(self, url: str) -> URL:
        # What was allowed when it was written may no longer be.
        return URL(self._guard.parse(url), encoded=True)

    def _session(self, **options: Any) -> aiohttp.ClientSession:
        connector = guarded_connector(self._guard, limit=0, limit_per_host=0, **options)
        connector._factory = partial(_Answer, asyncio.get_running_loop())  # type: ignore[assignment]
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(),  # each attempt has one limit for everything
            auto_decompress=False,
            trust_env=False,
        )


# Whether the attempt that this task makes goes out on a connection that was kept.
_reused: ContextVar[bool] = ContextVar("reused", default=False)


class _Answer(ResponseHandler):
    """One answer to each request, whatever else a receiver sends.

    The library reads all that came at once before it hands any of it over, and takes what follows an answer
    for the next one. So each head is given to it alone, and what follows an answer ends the connection.
    """

    _requests = 0
    _answered = False
    _read = 0
    _last = b""

    def set_response_params(self, **options: Any) -> None:
        self._answered, self._read, self._last = False, 0, b""  # a request is about to be sent
        _reused.set(self._requests > 0)
        self._requests += 1
        super().set_response_params(**options)

    def data_received(self, data: bytes) -> None:
        while data and not self._answered and not self._exception:
            head, data = self._divide(data)
            self._read += len(head)
            if self._read <= _HEAD_BYTES:
                super().data_received(head)
            else:
                self.close()
                self.set_exception(HttpProcessingError(message="too much before an answer"))
        if data and self._answered:
            self._take_rest(data)

    def feed_data(self, data: Any, size: int = 0) -> None:
        if self._answered:
            self.force_close()
            return
        self._answered = data[0].code >= 200 or data[0].code == 101
        super().feed_data(data, size)

    def _divide(self, data: bytes) -> tuple[bytes, bytes]:
        """What still belongs to a head, and what follows it. The empty line may come in pieces."""
        seen = self._last + data
        end = _HEAD_END.search(seen)
        self._last = b"" if end else seen[-2:]
        length = end.end() - len(seen) + len(data) if end else len(data)
        return data[:length], data[length:]

    def _take_rest(self, data: bytes) -> None:
        if self._payload is not None and not self._payload.is_eof():
            super().data_received(data)
        else:
            self.force_close()
            self.close()


async def _beginning(response: Any) -> bytes:
    """What of the body comes soon, at most `READ_BYTES`. The answer is decided already."""
    if response.content.is_eof():
        body: bytes = response.content.read_nowait(rules.READ_BYTES)
        response.release()
        return body
    read = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            while len(read) < rules.READ_BYTES:
                piece = await response.content.read(rules.READ_BYTES - len(read))
                if not piece:
                    response.release()
                    return bytes(read)
                read += piece
    except (TimeoutError, aiohttp.ClientError, OSError):
        pass
    response.close()
    return bytes(read)


def _name(failure: BaseException) -> str:
    """What the history calls this failure."""
    if isinstance(failure, Blocked) or was_blocked(failure):
        return "address_not_allowed"
    if isinstance(failure, TimeoutError):
        return "timeout"
    if isinstance(failure, aiohttp.ClientConnectorDNSError):
        return "dns_failed"
    if isinstance(failure, (aiohttp.ClientSSLError, ssl.SSLError)):
        return "tls_failed"
    if isinstance(failure, (aiohttp.ClientResponseError, aiohttp.ClientPayloadError, ValueError)):
        return "invalid_response"
    if isinstance(failure, (aiohttp.ClientError, OSError)):
        return "connection_failed"
    return "failed"
