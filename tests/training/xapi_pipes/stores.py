"""Receivers of statements: the record store of another tenant over HTTP, and one that can fail as told."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2
from aiohttp import web

from conftest import World
from training.xapi.clients import xapi_client
from trilha.core.net import parse_networks
from trilha.core.outbound.guard import Guard
from trilha.training.xapi_pipes import actions, queries
from trilha.training.xapi_pipes.jobs import ForwardStatements
from trilha.training.xapi_pipes.schema import NewPipe, Pipe, Version
from trilha.training.xapi_pipes.sender import Sender

GUARD = Guard(parse_networks("127.0.0.0/8"), plain_http=True)
Answer = int | Callable[[web.Request], Awaitable[web.StreamResponse]]


class Store:
    """Takes requests like a record store: it passes them on to `client`, if there is no answer in `answers`,
    which are used up in turn.
    """

    def __init__(self, client: httpx2.AsyncClient | None = None) -> None:
        self.client = client
        self.answers: list[Answer] = []
        self.always: Answer | None = None
        self.calls: list[tuple[str, dict[str, str], bytes]] = []
        self.url = ""

    async def serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.calls.append((request.method, dict(request.headers), body))
        answer = self.answers.pop(0) if self.answers else self.always
        if isinstance(answer, int):
            return web.Response(status=answer)
        if answer is not None:
            return await answer(request)
        if self.client is None:
            return web.json_response([])
        told = await self.client.request(
            request.method,
            str(request.rel_url),
            content=body,
            headers={
                name: request.headers[name]
                for name in ("Authorization", "X-Experience-API-Version", "Content-Type")
            },
        )
        return web.Response(status=told.status_code, body=told.content)


async def drop(request: web.Request) -> web.StreamResponse:
    """Closes the connection without an answer."""
    assert request.transport is not None
    request.transport.close()
    return web.Response()


async def drop_in_the_middle(request: web.Request) -> web.StreamResponse:
    """Closes the connection while the headers are sent."""
    assert request.transport is not None
    request.transport.write(b"HTTP/1.1 200 OK\r\nContent-Le")  # type: ignore[attr-defined]
    request.transport.close()
    return web.Response()


async def be_silent(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(30)
    return web.Response()


async def redirect(request: web.Request) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": "/elsewhere"})


@asynccontextmanager
async def serving(store: Store) -> AsyncIterator[Store]:
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", store.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert runner.addresses
    store.url = f"http://127.0.0.1:{runner.addresses[0][1]}/xapi"
    try:
        yield store
    finally:
        await runner.cleanup()


class Forwarder:
    """A tenant with one pipe, and a worker of its own."""

    def __init__(self, world: World, pipe: Pipe) -> None:
        self.world = world
        self.id = pipe.id
        self.job = ForwardStatements(Sender(GUARD, seconds=1))

    async def work(self, turns: int = 1) -> int:
        """Forwards what is due. Returns how many statements."""
        return sum([await self.job.run_next(self.world.database, self.world.tenant.id) for _ in range(turns)])

    async def read(self) -> Pipe:
        async with self.world.tx() as tx:
            return await queries.get(tx, self.id)


async def pipe(
    world: World,
    store: Store,
    *,
    version: Version = "2.0.0",
    username: str = "user",
    password: str = "s3cret",
    **members: object,
) -> Forwarder:
    new = NewPipe(
        name="LRS",  # type: ignore[arg-type]
        url=store.url,
        username=username,
        password=password,
        version=version,
        **members,  # type: ignore[arg-type]
    )
    async with world.tx() as tx:
        return Forwarder(world, await actions.create(tx, new, GUARD))


async def list_ids(world: World) -> list[str]:
    """Returns the ids of a tenant's statements, oldest first."""
    http = await xapi_client(world)
    answer = await http.get("/xapi/statements", params={"ascending": "true", "limit": 500})
    return [each["id"] for each in answer.json()["statements"]]
