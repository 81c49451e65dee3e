"""Rate limits that are counted in Valkey or Redis, with a real server that is killed and started again."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from redis.asyncio import Redis

from conftest import World
from trilha import app as trilha_app
from trilha.core.web import limit_counters
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings
from valkey import LimitsServer, limits_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LimitsServer]:
    with limits_server(tmp_path) as server:
        yield server


def limited(world: World, settings: Settings, server: LimitsServer, **changes: Any) -> httpx2.AsyncClient:
    options: dict[str, Any] = {"limit_v1": Limit(20, 900), "limit_key": "credential"} | changes
    own = replace(settings, limits_url=server.url, **options)
    app = trilha_app.create_app(own, world.database, world.clock)
    return world.client(world.http.headers["authorization"].partition(" ")[2], app=app)


async def statuses(*clients: httpx2.AsyncClient, count: int) -> list[int]:
    answers = await asyncio.gather(*(client.get("/v1/users") for client in clients for _ in range(count)))
    return [answer.status_code for answer in answers]


async def count_rows(world: World, key: bytes) -> int:
    """Returns how many rows the database has for the bucket of a counter."""
    async with world.database.unscoped() as unscoped:
        sql = "SELECT count(*) FROM limit_windows WHERE bucket = :bucket"
        return int(await unscoped.value(sql, bucket=key.decode().split(":", 4)[4]))


async def test_exactly_the_limit_passes_whichever_application_answers(
    world: World, settings: Settings, server: LimitsServer
) -> None:
    first, second = [limited(world, settings, server) for _ in range(2)]
    answered = await statuses(first, second, count=30)
    assert sorted(answered) == [200] * 20 + [429] * 40
    refused = await first.get("/v1/users")
    assert refused.headers["ratelimit-limit"] == "20"
    assert refused.headers["ratelimit-remaining"] == "0"
    assert 1 <= int(refused.headers["retry-after"]) <= 900
    world.clock.move(seconds=900)
    again = await second.get("/v1/users")
    assert (again.status_code, again.headers["ratelimit-remaining"]) == (200, "19")


async def test_an_unknown_credential_counts_by_its_address(
    world: World, settings: Settings, server: LimitsServer
) -> None:
    client = limited(world, settings, server, limit_v1=Limit(3, 900), limit_key="both")
    assert sorted(await statuses(client, count=5)) == [200] * 3 + [429] * 2
    stranger = world.client("trl_live_nobody", app=client._transport.app, address="2001:db8::7")  # type: ignore[attr-defined]
    unknown = [(await stranger.get("/v1/users")).status_code for _ in range(5)]
    assert unknown == [401, 401, 401, 429, 429]


async def test_counters_expire_after_their_window_and_are_not_in_the_database(
    world: World, settings: Settings, server: LimitsServer
) -> None:
    client = limited(world, settings, server)
    await client.get("/v1/users")
    async with Redis.from_url(server.url) as redis:
        keys = await redis.keys("trilha:limit:*")
        assert keys
        for key in keys:
            assert 900 < await redis.ttl(key) <= 960
            assert await count_rows(world, key) == 0


@pytest.mark.parametrize(("failure", "status"), [("closed", 503), ("open", 200)])
async def test_while_it_is_away_requests_fail_as_set(
    world: World,
    settings: Settings,
    server: LimitsServer,
    monkeypatch: pytest.MonkeyPatch,
    failure: str,
    status: int,
) -> None:
    monkeypatch.setattr(limit_counters, "_PAUSE_SECONDS", 0.0)
    client = limited(world, settings, server, limits_failure=failure)
    assert await statuses(client, count=5) == [200] * 5
    server.kill()
    assert await statuses(client, count=5) == [status] * 5
    answer = await client.get("/v1/users")
    assert "ratelimit-limit" not in answer.headers
    if failure == "closed":
        assert answer.headers["retry-after"] == "1"
        assert answer.json()["error"]["code"] == "unavailable"
    server.start()
    answer = await client.get("/v1/users")
    assert (answer.status_code, answer.headers["ratelimit-remaining"]) == (200, "19")


async def test_a_server_that_is_away_is_not_asked_again_at_once(
    world: World, settings: Settings, server: LimitsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each request would wait for a time-out."""
    monkeypatch.setattr(limit_counters, "_PAUSE_SECONDS", 3600.0)
    client = limited(world, settings, server, limits_failure="open")
    server.kill()
    assert await statuses(client, count=1) == [200]
    server.start()
    answer = await client.get("/v1/users")
    assert "ratelimit-limit" not in answer.headers
