"""The guard in an HTTP client's connections. Not in `guard.py`, because aiohttp is slow to import."""

import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from trilha.core.net import parse_address
from trilha.core.outbound.guard import Blocked, Guard
from trilha.core.outbound.responses import one_response_each

# Addresses to try of each IP version. After each failure aiohttp goes through the rest of its list again, so
# for a name with a thousand addresses it would try half a million times.
_ADDRESSES_MOST = 4


def guarded_connector(guard: Guard, **options: Any) -> aiohttp.TCPConnector:
    """Opens connections only to addresses that the guard allows, and to the very address that was checked.

    A refusal comes as an aiohttp.ClientConnectorError; `was_blocked` tells it from others. The session must
    not have `trust_env`: a proxy would look the name up again, unguarded.
    """

    def open_socket(info: tuple[Any, ...]) -> socket.socket:
        family, type, protocol, _, where = info
        _check(guard, *where[:2])
        return socket.socket(family, type, protocol)

    return aiohttp.TCPConnector(
        resolver=_Resolver(guard),
        use_dns_cache=False,
        # Besides the resolver, which aiohttp does not ask about a literal address.
        socket_factory=open_socket,
        **options,
    )


def open_session(guard: Guard) -> aiohttp.ClientSession:
    """For one request: its connection is closed after it, and one response is read of it."""
    connector = guarded_connector(guard, limit=0, limit_per_host=0, force_close=True)
    one_response_each(connector)
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(),  # whoever asks has one limit for everything
        auto_decompress=False,
        trust_env=False,
    )


def encoded_url(checked: str) -> URL:
    """Of what `Guard.parse` gave, as it is."""
    return URL(checked, encoded=True)


def was_blocked(error: BaseException) -> bool:
    """Whether the guard is the cause of this error."""
    cause: BaseException | None = error
    while cause and not isinstance(cause, Blocked):
        cause = cause.__cause__
    return cause is not None


class _BlockedConnection(Blocked, OSError):
    """An OSError, because aiohttp drops other errors when it tries several addresses."""


class _Resolver(AbstractResolver):
    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        try:
            addresses = await self._guard.resolve(host, port)
        except Blocked as error:
            raise _BlockedConnection(*error.args) from error
        tried = {
            each
            for version in (4, 6)
            for each in [one for one in addresses if one.version == version][:_ADDRESSES_MOST]
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
    except Blocked as error:
        raise _BlockedConnection(*error.args) from error
