"""Fetches one document from a foreign server, within limits of time and size.

A redirect is a failure. Responses are not decompressed, so they cannot expand.
"""

import asyncio
import importlib
import ssl
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.turns import Turns

MAX_BYTES = 1024 * 1024
_SECONDS = 5.0
# A request to a silent server occupies nothing but one of these places. Each tenant has a few.
_PLACES, _PER_TENANT, _BESIDE = 64, 8, 4
_MAX_WAITING = 64
AGENT = "Trilha/1"


class FetchResult(Struct, frozen=True):
    """A fetched document. `max_age` is how long it may be cached in seconds, or None if the server does
    not say.
    """

    status: int
    body: bytes
    max_age: int | None


class FetchFailed(Exception):
    """A failed request. The message is a reason: `address_not_allowed`, `timeout`, `busy`, `too_large`,
    `redirect`, `dns_failed`, `tls_failed`, `connection_failed`, `invalid_response`, or a code of the guard
    for the URL. Of a download also `too_many_redirects`, `unexpected_status` or `storage_failed`.
    """


class Fetcher:
    """Sends requests to servers that tenants choose, through the address guard."""

    def __init__(self, guard: Guard, *, seconds: float = _SECONDS, most_bytes: int = MAX_BYTES) -> None:
        self._guard = guard
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._turns = Turns(_PLACES, _PER_TENANT, _BESIDE)

    async def get(self, tenant_id: UUID, url: str, headers: Mapping[str, str] | None = None) -> FetchResult:
        """Sends a GET request. Raises FetchFailed."""
        return await self._fetch(tenant_id, "GET", url, headers or {}, None)

    async def post(
        self,
        tenant_id: UUID,
        url: str,
        body: Mapping[str, str] | bytes,
        headers: Mapping[str, str] | None = None,
    ) -> FetchResult:
        """Sends a POST request with a form, or with bytes, whose type is in `headers`. Raises FetchFailed."""
        return await self._fetch(tenant_id, "POST", url, headers or {}, body)

    async def post_json(
        self, tenant_id: UUID, url: str, value: object, headers: Mapping[str, str] | None = None
    ) -> FetchResult:
        """Sends a POST request with JSON. Raises FetchFailed."""
        sent = {"Content-Type": "application/json", **(headers or {})}
        return await self._fetch(tenant_id, "POST", url, sent, msgspec.json.encode(value))

    async def _fetch(
        self,
        tenant_id: UUID,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Mapping[str, str] | bytes | None,
    ) -> FetchResult:
        if self._turns.count_places(tenant_id) >= _MAX_WAITING:
            raise FetchFailed("busy")
        # It is slow to import and few processes need it, so it is imported in a thread.
        guarded = await asyncio.to_thread(importlib.import_module, "trilha.core.outbound.http")
        try:
            # checked again, because the setting may have changed since the URL was stored
            checked = self._guard.parse(url)
            async with asyncio.timeout(self._seconds):
                await self._turns.take(tenant_id)
        except BlockedAddress as error:
            raise FetchFailed(str(error)) from None
        except TimeoutError:
            raise FetchFailed("busy") from None
        try:
            async with asyncio.timeout(self._seconds):
                return await self._ask(guarded, method, checked, headers, body)
        except FetchFailed:
            raise
        except Exception as error:
            raise FetchFailed(find_reason(guarded, error)) from None
        finally:
            self._turns.leave(tenant_id)

    async def _ask(
        self,
        guarded: Any,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Mapping[str, str] | bytes | None,
    ) -> FetchResult:
        sent = {"Accept": "application/json, */*;q=0.1", "Accept-Encoding": "identity", "User-Agent": AGENT}
        async with (
            guarded.open_session(self._guard) as session,
            session.request(
                method,
                guarded.build_url(url),
                data=body,
                headers={**sent, **headers},
                allow_redirects=False,
            ) as response,
        ):
            if 300 <= response.status < 400:
                raise FetchFailed("redirect")
            received = bytearray()
            async for piece in response.content.iter_chunked(16 * 1024):
                received += piece
                if len(received) > self._most_bytes:
                    raise FetchFailed("too_large")
            return FetchResult(
                response.status, bytes(received), _max_age(response.headers.get("Cache-Control", ""))
            )


def _max_age(cache_control: str) -> int | None:
    for directive in cache_control.lower().split(","):
        name, _, value = directive.strip().partition("=")
        value = value.strip('"')
        if name == "max-age" and value.isascii() and value.isdecimal() and len(value) < 10:
            return int(value)
    return None


def find_reason(guarded: Any, error: Exception) -> str:
    """Returns the reason of a failed request. Raises an error that is not one of the network."""
    if isinstance(error, BlockedAddress) or guarded.was_blocked(error):
        return "address_not_allowed"
    if isinstance(error, TimeoutError):
        return "timeout"
    aiohttp = guarded.aiohttp
    for kinds, reason in (
        ((aiohttp.ClientConnectorDNSError,), "dns_failed"),
        ((aiohttp.ClientSSLError, ssl.SSLError), "tls_failed"),
        ((aiohttp.ClientResponseError, aiohttp.ClientPayloadError, ValueError), "invalid_response"),
        ((aiohttp.ClientError, OSError), "connection_failed"),
    ):
        if isinstance(error, kinds):
            return reason
    raise error
