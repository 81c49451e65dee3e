"""Connections of deliveries: reused, encrypted, and none to a forbidden address."""

import asyncio
import random
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from answers import OK, sends, summary
from conftest import World
from posting import Post, posting, run_job
from receiver import Answer, Receiver, receiving
from trilha.platform.webhooks import jobs
from trilha.settings import Settings


def kept(*pieces: bytes, then: str) -> Answer:
    """Gives one good answer, and then something else on the same connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        await reader.readuntil(b"\r\n\r\n")
        await sends(*pieces, then=then)(reader, writer)

    return answer


async def send_two(post: Post, endpoint: dict[str, Any]) -> list[dict[str, Any]]:
    """Sends two deliveries one after another; the later one first."""
    for _ in range(2):
        await post.happen()
        assert await post.send() == 1
        post.world.clock.move(seconds=1)
        await asyncio.sleep(0.02)
    return await post.deliveries(endpoint)


async def test_a_connection_is_kept(post: Post) -> None:
    async with receiving(200) as receiver:
        await send_two(post, await post.endpoint(receiver.url))
        assert (len(receiver.calls), receiver.connections) == (2, 1)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(sends(OK, then="fin"), id="closed-before"),
        pytest.param(kept(then="fin"), id="closed"),
        pytest.param(kept(then="reset"), id="reset"),
        pytest.param(kept(OK[:20], then="fin"), id="closed-in-headers"),
        pytest.param(kept(b"and the rest of the body", then="stay"), id="late-rest"),
    ],
)
async def test_a_kept_connection_that_is_no_good_costs_no_attempt(post: Post, answer: Answer) -> None:
    async with receiving(answer, 204) as receiver:
        deliveries = await send_two(post, await post.endpoint(receiver.url))
        assert receiver.connections == 2
    assert [summary(each) for each in deliveries] == [("DELIVERED", 204, None), ("DELIVERED", 200, None)]


async def test_a_new_connection_is_the_last_resort(post: Post) -> None:
    async with receiving(kept(then="fin"), sends(then="fin")) as receiver:
        deliveries = await send_two(post, await post.endpoint(receiver.url))
        assert receiver.connections == 2
    assert summary(deliveries[0]) == ("PENDING", None, "connection_failed")


NAME, PUBLIC = "hooks.example.com", "93.184.215.14"


class Names:
    """The addresses of NAME: each query takes the next answer, and the last one is repeated."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: list[str] = []
        self.asked = 0
        self.called: list[str] = []
        loop = asyncio.get_running_loop()
        self._ask, self._call = socket.getaddrinfo, loop.sock_connect
        monkeypatch.setattr(socket, "getaddrinfo", self.getaddrinfo)
        monkeypatch.setattr(loop, "sock_connect", self.sock_connect)

    def getaddrinfo(self, host: Any, port: Any, *rest: Any, **options: Any) -> Any:
        if host != NAME:
            return self._ask(host, port, *rest, **options)
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answer, port))]

    async def sock_connect(self, one: socket.socket, address: Any) -> None:
        """No test connects to another machine."""
        self.called.append(address[0])
        if not address[0].startswith("127."):
            raise ConnectionRefusedError
        await self._call(one, address)


@pytest.fixture
async def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    return Names(monkeypatch)


@asynccontextmanager
async def inside() -> AsyncIterator[tuple[Receiver, str]]:
    """Runs a receiver at a separate loopback address, on a port that is allowed."""
    address = f"127.{random.randint(1, 254)}.{random.randint(0, 255)}.{random.randint(1, 254)}"
    receiver = Receiver()
    async with await asyncio.start_server(receiver.serve, address, 8443):
        yield receiver, address


@pytest.fixture
async def shut(world: World, settings: Settings) -> AsyncIterator[Post]:
    """Like `post`, but only public addresses are allowed."""
    async with posting(world, replace(settings, net_allow=())) as shut:
        yield shut


@pytest.mark.parametrize("literal", [True, False], ids=["address", "name"])
async def test_nothing_is_sent_to_where_it_may_not_go(
    post: Post, shut: Post, names: Names, literal: bool
) -> None:
    """The address was allowed when it was saved. It is refused at an attempt, a test, a retry and
    a replay.
    """
    world = post.world
    await post.happen()
    world.clock.move(seconds=1)
    async with inside() as (receiver, address):
        names.answers = [address]
        endpoint = await post.endpoint(f"http://{address if literal else NAME}:8443/hook")
        path = f"/v1/webhooks/{endpoint['id']}"
        await post.happen()
        assert await shut.send() == 1
        (first,) = await post.deliveries(endpoint)
        assert summary(first) == ("PENDING", None, "address_not_allowed")
        assert (await world.http.post(f"{path}/test")).status_code == 200
        assert await shut.send() == 1
        assert (await world.http.post(f"{path}/deliveries/{first['id']}/retry")).status_code == 202
        assert await shut.send() == 1
        since = world.clock.now - timedelta(minutes=1)
        span = {"since": since.isoformat(), "until": world.clock.now.isoformat()}
        assert (await world.http.post(f"{path}/replay", json=span)).status_code == 202
        assert await run_job(jobs.REPLAY, world) == 1
        assert await shut.send() == 1
        deliveries = await post.deliveries(endpoint)
        assert sorted(each["attempts"] for each in deliveries) == [1, 1, 2]
        for attempt in [attempt for each in deliveries for attempt in each["attempt_log"]]:
            assert (attempt["http_status"], attempt["error"]) == (None, "address_not_allowed")
            assert attempt["response_body"] is None
        assert (receiver.connections, names.called) == (0, [])
        assert names.asked == (0 if literal else 4)
        # It was there all the time.
        world.clock.move(minutes=1)
        assert await post.send() == 3
        assert receiver.connections > 0


async def test_a_name_that_turns_inward(post: Post, shut: Post, names: Names) -> None:
    """It is resolved once per attempt, and that answer is used."""
    async with inside() as (receiver, address):
        names.answers = [PUBLIC, address]
        endpoint = await post.endpoint(f"http://{NAME}:8443/hook")
        await post.happen()
        assert await shut.send() == 1
        assert (names.asked, names.called) == (1, [PUBLIC])
        post.world.clock.move(seconds=10)
        assert await shut.send() == 1
        assert (names.asked, names.called, receiver.connections) == (2, [PUBLIC], 0)
        (delivery,) = await post.deliveries(endpoint)
    errors = [each["error"] for each in delivery["attempt_log"]]
    assert errors == ["connection_failed", "address_not_allowed"]


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Answers DNS queries: names in example.com do not exist, and those in example.net get no answer."""
    ask, over = socket.getaddrinfo, threading.Event()

    def getaddrinfo(host: Any, *rest: Any, **options: Any) -> Any:
        if str(host).endswith("example.com"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if str(host).endswith("example.net"):
            over.wait(30)
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return ask(host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield
    over.set()


@pytest.mark.usefixtures("asking")
async def test_names_without_an_answer(post: Post) -> None:
    async with receiving() as receiver:
        urls = ("https://hooks.example.com/", "https://hooks.example.net/", receiver.url)
        endpoints = [await post.endpoint(url) for url in urls]
        await post.happen()
        assert await post.send() == 3
        (unknown,), (hanging,), (healthy,) = [await post.deliveries(each) for each in endpoints]
    assert summary(unknown) == ("PENDING", None, "dns_failed")
    assert summary(hanging) == ("PENDING", None, "timeout")
    assert 2_000 <= hanging["attempt_log"][0]["duration_ms"] < 3_500
    assert summary(healthy) == ("DELIVERED", 204, None)


@pytest.mark.usefixtures("asking")
async def test_a_slow_name_server_holds_up_nobody_else(post: Post) -> None:
    async with receiving() as receiver:
        for each in range(4):
            await post.endpoint(f"https://{each}.example.net/", "user.suspended")
        healthy = await post.endpoint(receiver.url.replace("127.0.0.1", "localhost"), "course.created")
        for _ in range(10):
            await post.happen()
        await post.relay()
        assert await post.dispatcher.deliver_due() == 40
        await post.world.course()
        await post.send()
        (delivery,) = await post.deliveries(healthy)
    assert summary(delivery) == ("DELIVERED", 204, None)
    assert delivery["attempt_log"][0]["duration_ms"] < 1_000
