"""GET /v1/events?after=…: the feed, forward, without gaps."""

import asyncio
import random
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from posting import run_job
from trilha.core.database import Tx
from trilha.platform.events.catalogue import UserUpdated
from trilha.platform.events.outbox import emit
from trilha.platform.events.schema import BEGINNING
from trilha.platform.webhooks import jobs

PERSON = UUID(int=7)


async def note(tx: Tx, *names: str) -> None:
    await emit(tx, *(UserUpdated(user_id=PERSON, changed=[name]) for name in names))


async def page(world: World, after: str = BEGINNING, **query: Any) -> dict[str, Any]:
    params = {"after": after, "type": "user.updated"} | query
    answer = await world.http.get("/v1/events", params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def names(events: list[dict[str, Any]]) -> list[str]:
    return [each["data"]["changed"][0] for each in events]


async def test_goes_forward_from_an_event(world: World) -> None:
    for name in "abcd":
        async with world.tx() as tx:
            await note(tx, name)
    await run_job(jobs.RELAY, world)
    every = (await page(world))["data"]
    assert names(every) == list("abcd")
    assert names((await page(world, every[1]["id"]))["data"]) == ["c", "d"]
    assert (await page(world, every[3]["id"]))["data"] == []
    first = await page(world, limit=3)
    rest = await page(world, limit=3, cursor=first["next_cursor"])
    assert names(first["data"] + rest["data"]) == list("abcd")
    assert (first["has_more"], rest["has_more"]) == (True, False)
    newest = (await world.http.get("/v1/events?type=user.updated")).json()["data"]
    assert newest == every[::-1]


async def test_what_commits_late_is_not_passed_over(world: World) -> None:
    """The slow transaction gets its sequence first, and commits after the fast one was read."""
    async with world.tx() as slow:
        await note(slow, "slow")
        async with world.tx() as quick:
            await note(quick, "quick")
        await run_job(jobs.RELAY, world)
        seen = (await page(world))["data"]
        assert names(seen) == ["quick"]
    await run_job(jobs.RELAY, world)
    assert names((await page(world, seen[-1]["id"]))["data"]) == ["slow"]


async def test_a_reader_among_writers_reads_each_event_once(world: World) -> None:
    chance = random.Random(7)
    writing = relaying = True

    async def write(number: int) -> None:
        for turn in range(10):
            async with world.tx() as tx:
                await note(tx, *(f"{number}.{turn}.{n}" for n in range(chance.randrange(1, 4))))
                for _ in range(chance.randrange(3)):
                    await tx.value("SELECT pg_sleep(0.002) FROM users WHERE tenant_id = :tenant LIMIT 1")
                    await asyncio.sleep(0)

    async def relay() -> None:
        while writing:
            await run_job(jobs.RELAY, world)
            await asyncio.sleep(0)

    async def follow() -> list[str]:
        last, seen = BEGINNING, list[str]()
        while True:
            over = not relaying
            found = (await page(world, last, limit=7))["data"]
            seen += names(found)
            last = found[-1]["id"] if found else last
            if over and not found:
                return seen
            await asyncio.sleep(0)

    relay_task, following = asyncio.create_task(relay()), asyncio.create_task(follow())
    await asyncio.gather(*(write(number) for number in range(6)))
    writing = False
    await relay_task
    await run_job(jobs.RELAY, world)
    relaying = False
    seen = await following
    async with world.tx() as tx:
        written = await tx.value(
            "SELECT count(*) FROM events WHERE tenant_id = :tenant AND type = 'user.updated'"
        )
    assert len(seen) == len(set(seen)) == written
    for number in range(6):  # and each writer's events in their order
        mine = [each for each in seen if each.startswith(f"{number}.")]
        assert mine == sorted(mine, key=lambda each: [int(part) for part in each.split(".")])


async def test_places_only_grow(world: World) -> None:
    """Even if the clock goes back, or all earlier events are deleted."""
    for moved in (0, -7200, 3600):
        world.clock.move(seconds=moved)
        async with world.tx() as tx:
            await note(tx, str(moved))
        await run_job(jobs.RELAY, world)
    assert names((await page(world))["data"]) == ["0", "-7200", "3600"]


async def test_an_event_that_is_not_relayed_yet_has_nothing_after_it(world: World) -> None:
    async with world.tx() as tx:
        await note(tx, "a", "b")
    waiting = (await world.http.get("/v1/events?type=user.updated")).json()["data"]
    assert (await page(world, waiting[1]["id"]))["data"] == []
    await run_job(jobs.RELAY, world)
    assert names((await page(world, waiting[1]["id"]))["data"]) == ["b"]


async def test_goes_on_after_a_test_of_a_webhook(world: World) -> None:
    """The test event has no position, because it belongs to one endpoint."""
    body = {"url": "https://hooks.example.com/", "events": ["user.*"]}
    webhook = (await world.http.post("/v1/webhooks", json=body)).json()["data"]["id"]
    delivery = (await world.http.post(f"/v1/webhooks/{webhook}/test")).json()["data"]
    world.clock.move(seconds=1)
    async with world.tx() as tx:
        await note(tx, "a")
    await run_job(jobs.RELAY, world)
    assert names((await page(world, delivery["event_id"]))["data"]) == ["a"]
    every = await world.http.get("/v1/events", params={"after": BEGINNING})
    assert "webhook.test" not in [each["type"] for each in every.json()["data"]]


async def test_shows_no_more_than_30_days(world: World) -> None:
    for name in ("old", "new"):
        async with world.tx() as tx:
            await note(tx, name)
        await run_job(jobs.RELAY, world)
        world.clock.move(days=20)
    found = (await page(world))["data"]
    assert names(found) == ["new"]
    since = (world.clock.now - timedelta(days=1)).isoformat()
    assert (await page(world, since=since))["data"] == []


@pytest.mark.parametrize(
    ("after", "code"),
    [("evt_1", "invalid_value"), ("", "invalid_value"), (f"evt_{'1' * 32}", "unknown_event")],
)
async def test_refuses_what_is_no_event(world: World, after: str, code: str) -> None:
    answer = await world.http.get("/v1/events", params={"after": after})
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, "after", code)


async def test_another_tenants_event_is_none(world: World, stranger: World) -> None:
    async with stranger.tx() as tx:
        await note(tx, "theirs")
    await run_job(jobs.RELAY, stranger)
    (theirs,) = (await page(stranger))["data"]
    answer = await world.http.get("/v1/events", params={"after": theirs["id"]})
    assert answer.json()["error"]["code"] == "unknown_event"
