"""Applies the guard to an HTTP client's connections. Separate from `guard.py`, because aiohttp is slow to
import.
"""

import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from trilha.core import tracing
from trilha.core.net import parse_address
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.outbound.responses import one_response_each

# Addresses to try of each IP version. After each failure aiohttp tries the rest of its list again, which for
# a thousand addresses would be half a million attempts.
_MAX_ADDRESSES = 4


def build_connector(guard: Guard, **options: Any) -> aiohttp.TCPConnector:
    """Returns a connector that opens connections only to allowed addresses, and to exactly the address that
    was checked.

    A refusal is an aiohttp.ClientConnectorError for which `was_blocked` is true. The session must not have
    `trust_env`: a proxy would resolve the name again without the guard.
    """

    def open_socket(info: tuple[Any, ...]) -> socket.socket:
        family, type, protocol, _, where = info
        _check(guard, *where[:2])
        return socket.socket(family, type, protocol)

    return aiohttp.TCPConnector(
        resolver=_Resolver(guard),
        use_dns_cache=False,
        # In addition to the resolver, which aiohttp skips for literal addresses.
        socket_factory=open_socket,
        **options,
    )


def open_session(guard: Guard) -> aiohttp.ClientSession:
    """Opens a session for one request. Its connection is closed afterwards, and reads only one response."""
    connector = build_connector(guard, limit=0, limit_per_host=0, force_close=True)
    one_response_each(connector)
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(),  # the caller has one time limit for everything
        auto_decompress=False,
        trust_env=False,
        trace_configs=tracing.trace_http(),
    )


def build_url(checked: str) -> URL:
    """Builds the client's URL from the result of `Guard.parse`, unchanged."""
    return URL(checked, encoded=True)


def was_blocked(error: BaseException) -> bool:
    """Returns whether the guard caused this error."""
    cause: BaseException | None = error
    while cause and not isinstance(cause, BlockedAddress):
        cause = cause.__cause__
    return cause is not None


class _BlockedConnection(BlockedAddress, OSError):
    """An OSError, because aiohttp drops other errors when it tries several addresses."""


class _Resolver(AbstractResolver):
    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        try:
            addresses = await self._guard.resolve(host, port)
        except BlockedAddress as error:
            raise _BlockedConnection(*error.args) from error
        tried = {
            each
            for version in (4, 6)
            for each in [one for one in addresses if one.version == version][:_MAX_ADDRESSES]
        }
        return [
            ResolveResult(
                hostname=host,
                host=str(each),
                port=port,
                family=socket.AF_INET if each.version == 4 else socket.AF_INET6,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for each in addresses
            if each in tried
        ]

    async def close(self) -> None:
        pass


def _check(guard: Guard, host: str, port: int) -> None:
    address = parse_address(host)
    if address is None:
        raise _BlockedConnection("address_not_allowed")
    try:
        guard.check(address, port)
    except BlockedAddress as error:
        raise _BlockedConnection(*error.args) from error
