"""The guard at the connections of an HTTP client. Apart from `core.guard`, as aiohttp is slow to import."""

import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from trilha.core.net import parse_address
from trilha.core.outbound.guard import Blocked, Guard

# Of each IP version. aiohttp goes through what it was given once more after each failure, so a name with a
# thousand addresses would have it knock half a million times.
_TRIED = 4


def guarded_connector(guard: Guard, **options: Any) -> aiohttp.TCPConnector:
    """Opens connections only to what the guard lets through, and to the very address that was judged.

    A refusal comes as an aiohttp.ClientConnectorError; `was_blocked` tells it from others. The session must
    not have `trust_env`: a proxy would look the name up again, unguarded.
    """

    def open_socket(info: tuple[Any, ...]) -> socket.socket:
        family, type, protocol, _, where = info
        _judge(guard, *where[:2])
        return socket.socket(family, type, protocol)

    return aiohttp.TCPConnector(
        resolver=_Resolver(guard),
        use_dns_cache=False,
        # Besides the resolver, because a literal address never meets it.
        socket_factory=open_socket,
        **options,
    )


def was_blocked(error: BaseException) -> bool:
    """Whether the guard is the reason of this."""
    cause: BaseException | None = error
    while cause and not isinstance(cause, Blocked):
        cause = cause.__cause__
    return cause is not None


class _Stopped(Blocked, OSError):
    """Blocked, the way aiohttp takes it: in its race of several addresses it loses what is no OSError."""


class _Resolver(AbstractResolver):
    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        try:
            addresses = await self._guard.resolve(host, port)
        except Blocked as error:
            raise _Stopped(*error.args) from error
        tried = {
            each
            for version in (4, 6)
            for each in [one for one in addresses if one.version == version][:_TRIED]
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


def _judge(guard: Guard, host: str, port: int) -> None:
    address = parse_address(host)
    if address is None:
        raise _Stopped("address_not_allowed")
    try:
        guard.judge(address, port)
    except Blocked as error:
        raise _Stopped(*error.args) from error
