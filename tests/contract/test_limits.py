"""Exactly the allowed number of requests passes in each window, whichever process answers."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator
from random import randbytes
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from running import Running, running
from spread import spread_over
from trilha import app as trilha_app
from trilha.access.api_keys import actions as api_keys
from trilha.access.api_keys import rules
from trilha.core.net import parse_networks
from trilha.core.web import admission
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings

CONNECTIONS = 32
PROCESSES = 4
SHORT = 3  # seconds


# The long form uses the default limit.
@pytest.fixture(scope="module", params=[300, pytest.param(1500, marks=pytest.mark.long)])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Runs four serving processes with a limit of /v1, and a short window for one of its addresses."""
    with running(
        tmp_path_factory.mktemp("limits"),
        TRILHA_WORKERS=str(PROCESSES),
        TRILHA_POOL_SIZE="6",
        TRILHA_KEEP_ALIVE="60",
        TRILHA_LIMIT_V1=f"{request.param}/15m",
        TRILHA_LIMIT_VERIFY=f"40/{SHORT}s",
    ) as server:
        yield server


class Answer:
    """The answer to one request, and the window in which it was counted."""

    def __init__(self, response: httpx2.Response, asked: float, length: int) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.remaining = int(response.headers["ratelimit-remaining"])
        reset = int(response.headers["ratelimit-reset"])
        # The request was counted in the one second between sending and answer for which `reset` gives the end
        # of a window.
        assert time.time() - asked < length - 1
        second = next(each for each in range(int(asked), int(asked) + length) if (each + reset) % length == 0)
        self.window = (second + reset) // length


async def ask(client: httpx2.AsyncClient, path: str, length: int) -> Answer:
    asked = time.time()
    return Answer(await client.get(path), asked, length)


def by_window(answers: list[Answer]) -> dict[int, list[Answer]]:
    windows = defaultdict(list)
    for answer in answers:
        windows[answer.window].append(answer)
    return dict(sorted(windows.items()))


def check(answers: list[Answer], most: int) -> int:
    """Returns how many requests one window admitted. Each had another number of remaining requests, in
    descending order.
    """
    admitted = sorted((each.remaining for each in answers if each.status != 429), reverse=True)
    assert admitted == list(range(most - 1, most - 1 - len(admitted), -1))
    refused = [each for each in answers if each.status == 429]
    assert len(admitted) == min(len(answers), most)
    for each in refused:
        assert each.headers["retry-after"] == each.headers["ratelimit-reset"]
        assert each.remaining == 0
    return len(admitted)


async def test_one_more_than_the_limit_is_refused_by_four_processes(server: Running) -> None:
    most = int(server.environment["TRILHA_LIMIT_V1"].partition("/")[0])
    server.command("tenant", "create", "--slug", "acme", "--name", "Acme")
    key = server.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", "users:read")
    answers: list[Answer] = []
    refused: list[Answer] = []

    async def work(client: httpx2.AsyncClient) -> None:
        while len(refused) < 100:
            answers.append(await ask(client, "/v1/users", 900))
            if answers[-1].status == 429:
                refused.append(answers[-1])

    headers = {"authorization": f"Bearer {key['key']}"}
    async with spread_over(server, PROCESSES, CONNECTIONS, headers) as clients:
        await asyncio.gather(*map(work, clients))
    assert {each.status for each in answers} == {200, 429}
    # One window, or two if a quarter of an hour ends meanwhile.
    *_, last = [check(each, most) for each in by_window(answers).values()]
    assert last == most
    told = refused[0].headers
    assert told["x-ratelimit-limit"] == told["ratelimit-limit"] == str(most)
    assert told["x-ratelimit-remaining"] == told["ratelimit-remaining"] == "0"
    assert told["x-ratelimit-reset"] == told["ratelimit-reset"]
    assert 1 <= int(told["retry-after"]) <= 900


async def test_no_window_lets_in_more_over_its_edges(server: Running) -> None:
    seen: set[int] = set()
    path = "/v1/certificates/verify/0000-0000-0000-0000"

    async def work(client: httpx2.AsyncClient) -> list[Answer]:
        answers = []
        while len(seen) < 3:
            answers.append(await ask(client, path, SHORT))
            seen.add(answers[-1].window)
            # Eight such clients send all the time and leave processor time to others.
            await asyncio.sleep(0.02)
        return answers

    async with spread_over(server, PROCESSES, 8) as clients:
        answers = [each for many in await asyncio.gather(*map(work, clients)) for each in many]
    windows = by_window(answers)
    _, *whole, _ = [check(each, 40) for each in windows.values()]
    assert whole
    assert set(whole) == {40}


# The rest runs in this process, where the clock can be moved.


class Limited:
    """An application with its own limits, called from an address that no other test uses."""

    def __init__(self, world: World, **settings: Any) -> None:
        self.world = world
        network = f"2001:db8:{randbytes(2).hex()}"
        self.address, self.elsewhere = f"{network}:1::1", f"{network}:2::1"
        settings = {"limit_v1": Limit(3, 60)} | settings
        self.app = trilha_app.create_app(Settings(**settings), world.database, world.clock)
        # Ten seconds before the end of a window of a minute.
        world.clock.now = world.clock.now.replace(second=50)

    def client(self, key: str | None = None, address: str | None = None) -> httpx2.AsyncClient:
        return self.world.client(key, self.app, address or self.address)

    async def statuses(self, *clients: httpx2.AsyncClient, path: str = "/v1/users") -> list[int]:
        return [(await client.get(path)).status_code for client in clients]


async def test_counts_down_and_begins_anew_with_the_next_window(world: World) -> None:
    client = Limited(world).client(await world.key())
    seen = []
    for _ in range(4):
        answer = await client.get("/v1/users")
        seen.append((answer.status_code, answer.headers["ratelimit-remaining"]))
        assert answer.headers["ratelimit-reset"] == "10"
    assert seen == [(200, "2"), (200, "1"), (200, "0"), (429, "0")]
    error = answer.json()["error"]
    assert (error["type"], error["code"]) == ("rate_limited", "rate_limit_exceeded")
    assert answer.headers["retry-after"] == "10"
    world.clock.move(seconds=9, milliseconds=999)
    assert (await client.get("/v1/users")).status_code == 429
    world.clock.move(milliseconds=1)
    answer = await client.get("/v1/users")
    assert (answer.status_code, answer.headers["ratelimit-remaining"]) == (200, "2")
    assert answer.headers["ratelimit-reset"] == "60"


async def test_a_refused_request_is_not_carried_out(world: World) -> None:
    client = Limited(world, limit_v1=Limit(1, 60)).client(await world.key())
    for name in ("a", "b"):
        await client.post("/v1/users", json={"email": f"{name}@example.com", "name": "A"})
    assert len((await world.http.get("/v1/users")).json()["data"]) == 1


async def test_whatever_is_asked_counts(world: World) -> None:
    """Unknown keys, missing keys, unknown addresses and wrong methods count too, because attackers send them
    when they guess.
    """
    limited = Limited(world, limit_v1=Limit(7, 60))
    guesses = [f"trl_live_{'0' * 40}", rules.generate("trl_live_"), "nonsense", None]
    for guess in guesses:
        assert (await limited.client(guess).get("/v1/users")).status_code == 401
    client = limited.client(await world.key())
    assert (await client.get("/v1/nothing")).status_code == 404
    assert (await client.put("/api/v1/users")).status_code == 405
    assert (await client.request("OPTIONS", "/v1/users")).headers["ratelimit-remaining"] == "0"
    for client in (limited.client(guesses[0]), limited.client(await world.key())):
        assert (await client.get("/v1/users")).status_code == 429


async def test_what_is_beside_the_api_is_not_counted(world: World) -> None:
    client = Limited(world, limit_v1=Limit(1, 60)).client(await world.key())
    for path in ("/livez", "/readyz", "/openapi.json", "/nothing"):
        assert "ratelimit-limit" not in (await client.get(path)).headers
    assert (await client.get("/v1/users")).status_code == 200


async def test_each_address_has_its_own_count(world: World) -> None:
    limited = Limited(world, limit_v1=Limit(1, 60))
    key = await world.key()
    here, there = limited.client(key), limited.client(key, limited.elsewhere)
    assert await limited.statuses(here, there, here, there) == [200, 200, 429, 429]


async def test_a_claimed_address_counts_where_a_trusted_proxy_wrote_it(world: World) -> None:
    key = await world.key()
    for is_trusted, expected in ((False, [200, 429, 429]), (True, [200, 429, 200])):
        limited = Limited(world, limit_v1=Limit(1, 60))
        if is_trusted:
            proxies = parse_networks(limited.address)
            limited = Limited(world, limit_v1=Limit(1, 60), trusted_proxies=proxies)
            limited.address = str(proxies[0].network_address)
        one, two = (f"2001:db8:{randbytes(2).hex()}:{n}::1" for n in (1, 2))
        # Entries to the left of the proxy's own are invented by the caller.
        claims = [f"{uuid4().hex[:4]}::7, {each}" for each in (one, one, two)]
        client = limited.client(key)
        answers = [await client.get("/v1/users", headers={"x-forwarded-for": each}) for each in claims]
        assert [each.status_code for each in answers] == expected


async def test_may_count_by_credential(world: World) -> None:
    limited = Limited(world, limit_v1=Limit(1, 60), limit_key="credential")
    one, two = limited.client(await world.key()), limited.client(await world.key())
    assert await limited.statuses(one, two, one, two) == [200, 200, 429, 429]
    nobody = limited.client()
    assert await limited.statuses(nobody, nobody) == [401, 429]


async def test_what_is_not_proven_counts_against_the_address(world: World) -> None:
    """Invented keys have no counters of their own, however many there are."""
    limited = Limited(world, limit_v1=Limit(2, 60), limit_key="credential")
    made_up = [limited.client(rules.generate("trl_live_")) for _ in range(4)]
    assert await limited.statuses(*made_up) == [401, 401, 429, 429]
    assert await limited.statuses(limited.client(await world.key())) == [200]


async def test_secrets_of_one_key_count_together(world: World) -> None:
    limited = Limited(world, limit_v1=Limit(2, 60), limit_key="credential")
    async with world.tx() as tx:
        first = await api_keys.create(tx, "Rotated", ["users:read"], prefix="trl_live_")
        second = await api_keys.rotate(tx, first.api_key.id, prefix="trl_live_")
    clients = [limited.client(each.key) for each in (first, second, first)]
    assert await limited.statuses(*clients) == [200, 200, 429]


async def test_an_ipv6_network_of_64_bits_counts_as_one(world: World) -> None:
    limited = Limited(world, limit_v1=Limit(2, 60))
    key = await world.key()
    network = limited.address.removesuffix("::1")
    neighbours = [limited.client(key, f"{network}::{n}") for n in (1, 2, 3)]
    assert await limited.statuses(*neighbours) == [200, 200, 429]
    assert await limited.statuses(limited.client(key, limited.elsewhere)) == [200]


@pytest.mark.parametrize(
    ("forwarded", "status"),
    [
        ("10.1.2.3", 200),
        ("10.1.2.3:51234", 200),
        ("203.0.113.9", 403),
        ("203.0.113.9:51234", 403),
        ("[2001:db8::1]:51234", 403),
        ("nonsense", 403),
        ("10.1.2.3, nonsense", 403),
        ("", 200),
    ],
)
async def test_an_allowlist_behind_a_proxy(world: World, forwarded: str, status: int) -> None:
    """The proxy is in the allowlist itself, but clients behind it are not let in."""
    limited = Limited(world, trusted_proxies=parse_networks("10.1.0.1/32"))
    client = limited.client(await world.key(networks="10.1.0.0/16"), "10.1.0.1")
    headers = {"x-forwarded-for": forwarded} if forwarded else {}
    assert (await client.get("/v1/courses", headers=headers)).status_code == status


async def test_may_count_by_both(world: World) -> None:
    limited = Limited(world, limit_v1=Limit(2, 60), limit_key="both")
    key, other = await world.key(), await world.key()
    elsewhere = limited.elsewhere
    clients = limited.client(key), limited.client(key, elsewhere), limited.client(key, elsewhere)
    assert await limited.statuses(*clients) == [200, 200, 429]
    assert await limited.statuses(limited.client(other), limited.client(other)) == [200, 429]


async def test_verifying_has_a_limit_of_its_own(world: World) -> None:
    limited = Limited(world, limit_v1=Limit(1, 60), limit_verify=Limit(2, 60))
    client = limited.client()
    path = "/v1/certificates/verify/0000-0000-0000-0000"
    answers = [await client.get(each) for each in (path, "/v1/users", "/api" + path, path)]
    assert [each.headers["ratelimit-limit"] for each in answers] == ["2", "1", "2", "2"]
    assert [each.status_code == 429 for each in answers] == [False, False, False, True]


async def test_two_applications_count_as_one(world: World) -> None:
    limited = Limited(world, limit_v1=Limit(40, 60))
    key = await world.key()
    other = Limited(world, limit_v1=Limit(40, 60))
    clients = [limited.client(key), other.client(key, limited.address)]
    answers = await asyncio.gather(*(clients[n % 2].get("/v1/courses") for n in range(100)))
    admitted = [int(each.headers["ratelimit-remaining"]) for each in answers if each.status_code == 200]
    assert sorted(admitted) == list(range(40))


async def test_windows_that_are_over_are_pruned(world: World) -> None:
    # A time long ago, so that the counters of other tests are not affected.
    world.clock.move(days=-30)
    limited = Limited(world, limit_v1=Limit(1, 60))
    client = limited.client(await world.key())
    assert await limited.statuses(client, client) == [200, 429]
    await admission.prune_windows(world.database)
    assert await limited.statuses(client) == [429]
    world.clock.move(seconds=20)
    assert await admission.prune_windows(world.database) == 1
    world.clock.move(seconds=-20)
    assert await limited.statuses(client) == [200]


def test_the_limits_of_the_contract_are_the_default() -> None:
    assert {name: str(value) for name, value in vars(Settings()).items() if isinstance(value, Limit)} == {
        "limit_v1": "1500/15m",
        "limit_verify": "60/1m",
        "limit_calendar": "600/15m",
        "limit_scim": "1000/15m",
        "limit_xapi": "60000/1m",
        "limit_token": "10/1m",
        "limit_discover_ip": "600/1m",
        "limit_discover_domain": "120/1m",
        "limit_login": "5/1m",
    }
