"""Connections to a server of several processes, of which each process has at least one."""

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import httpx2
import psutil

from running import Running

MAX_CLIENTS = 400
# Shared by all clients, because creating one takes 30 ms.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class _PatientTransport(httpx2.AsyncHTTPTransport):
    """Repeats a request that a busy server refused, after the time in Retry-After."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        while True:
            response = await super().handle_async_request(request)
            if response.status_code != 503 or "retry-after" not in response.headers:
                return response
            await response.aread()
            await response.aclose()
            await asyncio.sleep(int(response.headers["retry-after"]))


def connections_by_process(server: Running) -> Counter[int]:
    """Returns the number of established connections of each serving process, including 0."""
    counted: Counter[int] = Counter()
    for process in server.children("serve")[1:]:
        states = Counter(
            each.status for each in process.net_connections("tcp4") if each.laddr.port == server.port
        )
        # Python's helper process for multiprocessing does not serve.
        if states[psutil.CONN_LISTEN]:
            counted[process.pid] = states[psutil.CONN_ESTABLISHED]
    return counted


@asynccontextmanager
async def spread_over(
    server: Running, processes: int, at_least: int, headers: dict[str, str] | None = None
) -> AsyncIterator[Sequence[httpx2.AsyncClient]]:
    """Opens clients with one connection each, until each of the processes has at least one of them."""
    one = httpx2.Limits(max_connections=1)
    async with AsyncExitStack() as stack:
        clients: list[httpx2.AsyncClient] = []
        while len(clients) < at_least or min(connections_by_process(server).values()) == 0:
            assert len(clients) < MAX_CLIENTS, connections_by_process(server)
            transport = _PatientTransport(limits=one, verify=_NO_TLS)
            client = httpx2.AsyncClient(base_url=server.url, headers=headers, timeout=30, transport=transport)
            clients.append(await stack.enter_async_context(client))
            assert (await client.get("/livez")).status_code == 200
        held = connections_by_process(server)
        assert (len(held), sum(held.values())) == (processes, len(clients)), held
        yield clients
