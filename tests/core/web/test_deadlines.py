"""How long a client may take, and how much of the server it may occupy."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from conftest import World
from core.web.library import SURFACE, Shelf, routes
from trilha.core.net import parse_networks
from trilha.core.web.admission import Admission
from trilha.core.web.capacity import Capacity, Places
from trilha.core.web.deadlines import Deadlines
from trilha.core.web.gateway import Gateway
from trilha.core.web.surface import Surface

HEALTH = Surface(name="health", prefixes=["/health"], features=[routes], health=True)
NOTHING = Surface(name="nothing", prefixes=[""], features=[])
FORM = {"content-type": "application/x-www-form-urlencoded"}


def make_app(world: World, folder: Path, **options: Any) -> Gateway:
    surfaces = [SURFACE, HEALTH, NOTHING]
    return Gateway(
        surfaces, world.database, Admission(world.database, []), dependencies=[Shelf(folder)], **options
    )


async def never_ends() -> AsyncIterator[bytes]:
    yield b"title=A&"
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    "deadlines", [Deadlines(body=0.05), Deadlines(body=60, body_rate=1_000_000, body_grace=0.05)]
)
async def test_a_body_that_does_not_come(world: World, tmp_path: Path, deadlines: Deadlines) -> None:
    async with world.client(app=make_app(world, tmp_path, deadlines=deadlines)) as http:
        answer = await http.post("/library/books", content=never_ends(), headers=FORM)
    assert (answer.status_code, answer.json()) == (408, {"reason": "request_timeout"})
    assert answer.headers["connection"] == "close"


async def test_a_large_file_may_take_longer_than_a_form(world: World, tmp_path: Path) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b'--x\r\ncontent-disposition: form-data; name="title"\r\n\r\nA\r\n'
        yield b'--x\r\ncontent-disposition: form-data; name="scan"; filename="a"\r\n\r\n'
        for _ in range(512):
            yield b"x" * 128 * 1024
        yield b"\r\n--x--\r\n"

    app = make_app(world, tmp_path, deadlines=Deadlines(body=0.05))
    async with world.client(app=app) as http:
        headers = {"content-type": "multipart/form-data; boundary=x"}
        answer = await http.post("/library/scans", content=pieces(), headers=headers)
        assert answer.status_code == 201, answer.text


async def test_an_answer_that_is_not_read_is_cut_short(world: World, tmp_path: Path) -> None:
    app = make_app(world, tmp_path, deadlines=Deadlines(answer=0.05))
    asked = {
        "type": "http",
        "method": "GET",
        "path": "/library/pages",
        "query_string": b"",
        "headers": [],
        "client": ("127.0.0.1", 5000),
    }
    sent = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if len(sent) == 3:
            await asyncio.Event().wait()

    async with asyncio.timeout(5):
        await app(asked, asyncio.Event().wait, send)
    assert len(sent) == 3
    assert (tmp_path / "closed").exists()


class Held:
    """Requests of one client that have started and end only when they are released."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self.http = http
        self.go = asyncio.Event()
        self.tasks: list[asyncio.Task[httpx2.Response]] = []

    async def add(self, path: str = "/library/books", **headers: str) -> None:
        began = asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            began.set()
            yield b"title=A&"
            await self.go.wait()
            yield b"pages=1"

        posted = self.http.post(path, content=body(), headers=FORM | headers)
        self.tasks.append(asyncio.ensure_future(posted))
        await asyncio.wait(
            [asyncio.ensure_future(began.wait()), self.tasks[-1]], return_when="FIRST_COMPLETED"
        )
        assert began.is_set(), "was refused"

    async def end(self) -> None:
        self.go.set()
        assert {each.status_code for each in await asyncio.gather(*self.tasks)} <= {303}


@asynccontextmanager
async def held(world: World, app: Gateway, address: str) -> AsyncIterator[Held]:
    async with AsyncExitStack() as stack:
        each = Held(await stack.enter_async_context(world.client(app=app, address=address)))
        stack.push_async_callback(each.end)
        yield each


async def test_one_address_has_so_many_in_flight(
    world: World, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    app = make_app(world, tmp_path, capacity=Capacity(total=1024, per_address=4))
    async with held(world, app, "203.0.113.9") as first, held(world, app, "203.0.113.10") as other:
        for _ in range(4):
            await first.add()
        refused = await first.http.get("/library/books/A")
        assert (refused.status_code, refused.json()) == (503, {"reason": "unavailable"})
        assert refused.headers["retry-after"] == "1"
        assert '"refused":"address"' in capfd.readouterr().err
        assert (await other.http.get("/library/books/A")).status_code == 200
        await first.end()
        assert (await first.http.get("/library/books/A")).status_code == 200


async def test_an_ipv6_subscriber_is_one_address(world: World, tmp_path: Path) -> None:
    app = make_app(world, tmp_path, capacity=Capacity(total=1024, per_address=4))
    async with held(world, app, "2001:db8:0:1::1") as first:
        for _ in range(4):
            await first.add()
        for address, status in (("2001:db8:0:1:ffff::2", 503), ("2001:db8:0:2::1", 200)):
            async with world.client(app=app, address=address) as http:
                assert (await http.get("/library/books/A")).status_code == status


async def test_behind_a_proxy_it_is_the_clients_that_are_counted(world: World, tmp_path: Path) -> None:
    proxies = parse_networks("10.0.0.2")
    app = make_app(world, tmp_path, trusted_proxies=proxies, capacity=Capacity(total=1024, per_address=4))
    async with held(world, app, "10.0.0.2") as proxy:
        for _ in range(4):
            await proxy.add(**{"x-forwarded-for": "203.0.113.9"})
        for address, status in (("203.0.113.9", 503), ("203.0.113.10", 200)):
            answer = await proxy.http.get("/library/books/A", headers={"x-forwarded-for": address})
            assert answer.status_code == status
        for _ in range(6):  # its own request
            await proxy.add()


async def test_health_has_places_of_its_own(world: World, tmp_path: Path) -> None:
    app = make_app(world, tmp_path, capacity=Capacity(total=1024, per_address=4))
    async with held(world, app, "203.0.113.9") as first:
        for _ in range(4):
            await first.add()
        assert (await first.http.get("/health/books/A")).status_code == 200
        for _ in range(4):
            await first.add("/health/books")
        assert (await first.http.get("/health/books/A")).status_code == 503


def test_many_addresses_leave_places_for_a_new_one() -> None:
    places = Places(total=4096, per_address=512)
    for number in range(20 * 512):
        places.take(f"198.51.100.{number % 20}")
    for _ in range(5):
        assert places.take("203.0.113.9") is None


def test_what_is_given_back_can_be_taken_again() -> None:
    places = Places(total=64, per_address=4)
    for _ in range(1000):
        assert places.take("203.0.113.9") is None
        places.leave("203.0.113.9")
    for _ in range(64):
        assert places.take(None) is None
    assert places.take(None) == "server"
    assert places.take("203.0.113.9") == "server"
