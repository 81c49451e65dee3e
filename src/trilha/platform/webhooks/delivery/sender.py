"""Sends one attempt over HTTP.

It never raises: every failure of a receiver is a `SendResult`.
"""

import asyncio
import ssl
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Self

import aiohttp
from yarl import URL

from trilha.core import tracing
from trilha.core.clock import Clock
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.outbound.http import build_connector, was_blocked
from trilha.core.outbound.responses import on_reused_connection, one_response_each
from trilha.core.types import Timestamp
from trilha.platform.events.schema import envelope_bytes, event_name
from trilha.platform.webhooks import rules
from trilha.platform.webhooks.delivery import retry_schedule, signing
from trilha.platform.webhooks.schema import ClaimedDelivery, SendResult

_KEEP_ALIVE = 15
# seconds to wait for the response body after the headers
_BODY_SECONDS = 1.0


class Sender:
    """HTTP sessions that stay open while the worker runs. Response headers must arrive within `seconds`."""

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

    async def send(self, delivery: ClaimedDelivery, secrets: Sequence[str]) -> SendResult:
        began, at = time.perf_counter(), self._clock()
        status, error, body, retry_after = None, None, None, None
        try:
            async with asyncio.timeout(self._seconds) as limit:
                response = await self._post(delivery, secrets, int(at.timestamp()))
                limit.reschedule(None)
            status = response.status
            retry_after = retry_schedule.parse_retry_after(response.headers.get("Retry-After"), at)
            body = rules.redact(await _read_body(response), secrets)
        except Exception as failure:
            error = _error_code(failure)
        return SendResult(
            at=Timestamp.of(at),
            http_status=status,
            error=error,
            duration_ms=round((time.perf_counter() - began) * 1000),
            response_body=body,
            retry_after=retry_after,
        )

    async def _post(self, delivery: ClaimedDelivery, secrets: Sequence[str], now: int) -> Any:
        content = envelope_bytes(
            delivery.event_id, delivery.event_type, delivery.event_at, delivery.tenant_id, delivery.data
        )
        headers = self._headers(delivery, secrets, now, content)
        on_reused_connection.set(False)
        try:
            return await self._request(self._reusing, delivery.url, content, headers)
        except (
            aiohttp.ServerDisconnectedError,
            aiohttp.ClientOSError,
            aiohttp.ClientResponseError,
        ) as failure:
            # The receiver closed the reused connection, or sent the rest of an earlier response on it. Try
            # again on a new connection.
            if not on_reused_connection.get() or isinstance(failure, aiohttp.ClientConnectorError):
                raise
            return await self._request(self._fresh, delivery.url, content, headers)

    async def _request(self, session: Any, url: str, content: bytes, headers: dict[str, str]) -> Any:
        return await session.post(
            self._target(url),
            data=aiohttp.BytesPayload(content),
            headers=headers,
            allow_redirects=False,
        )

    def _headers(
        self, delivery: ClaimedDelivery, secrets: Sequence[str], now: int, content: bytes
    ) -> dict[str, str]:
        name = event_name(delivery.event_id)
        cause = {f"{self._prefix}Request-Id": delivery.request_id} if delivery.request_id else {}
        return cause | {
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": self._agent,
            f"{self._prefix}Signature": signing.sign(secrets, now, content),
            f"{self._prefix}Event-Id": name,
            f"{self._prefix}Event-Type": delivery.event_type,
            f"{self._prefix}Delivery-Id": str(delivery.id),
            "webhook-id": name,
            "webhook-timestamp": str(now),
            "webhook-signature": signing.standard_signature(secrets, name, now, content),
        }

    def _parse(self, url: str) -> URL:
        # Check again: the setting may have changed since the address was stored.
        return URL(self._guard.parse(url), encoded=True)

    def _session(self, **options: Any) -> aiohttp.ClientSession:
        connector = build_connector(self._guard, limit=0, limit_per_host=0, **options)
        one_response_each(connector)
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(),  # one time limit covers the whole attempt
            auto_decompress=False,
            trust_env=False,
            trace_configs=tracing.trace_http(sends_trace=True),
        )


async def _read_body(response: Any) -> bytes:
    """Reads the body for at most a second, up to `READ_BYTES`. The status alone decides the result."""
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


def _error_code(failure: BaseException) -> str:
    """Returns the error code of a failed attempt."""
    if isinstance(failure, BlockedAddress) or was_blocked(failure):
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
