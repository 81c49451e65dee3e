"""The order of the feed is that of the changes, whatever the clocks show."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from conftest import World
from trilha.people.users import actions as users
from trilha.platform.events.catalogue import UserSuspended
from trilha.platform.events.outbox import emit
from trilha.platform.events.queries import list_page
from trilha.platform.events.schema import EventQuery

ROUNDS = 25
# The blocks of the table and its indexes that this connection has read.
TOUCHED = """
    SELECT pg_stat_get_xact_blocks_fetched('events'::regclass)
           + (SELECT sum(pg_stat_get_xact_blocks_fetched(indexrelid)) FROM pg_index
              WHERE indrelid = 'events'::regclass AND :tenant::uuid IS NOT NULL)
"""


async def feed(world: World, **query: Any) -> list[dict[str, Any]]:
    """Returns all pages."""
    shown, params = [], {"limit": 100, **query}
    while True:
        page = (await world.http.get("/v1/events", params=params)).json()
        shown += page["data"]
        if not page["has_more"]:
            return shown
        params["cursor"] = page["next_cursor"]


async def test_the_last_event_agrees_with_the_status(world: World) -> None:
    """However many clients suspend and reactivate one user at the same time."""
    ids = [(await world.user())["id"] for _ in range(ROUNDS)]
    for id in ids:
        calls = [f"/v1/users/{id}/{verb}" for verb in ("suspend", "reactivate") * 4]
        answers = await asyncio.gather(*map(world.http.post, calls))
        assert {each.status_code for each in answers} == {204}
    last: dict[str, str] = {}
    told: dict[str, list[str]] = {id: [] for id in ids}
    for event in await feed(world):
        if (id := event["data"].get("user_id")) and event["type"] != "user.created":
            last.setdefault(id, event["type"])
            told[id].insert(0, event["type"])
    for id in ids:
        status = (await world.http.get(f"/v1/users/{id}")).json()["data"]["status"]
        assert last[id] == {"SUSPENDED": "user.suspended", "ACTIVE": "user.reactivated"}[status]
        turns = ["user.suspended", "user.reactivated"] * 4
        assert told[id] == turns[: len(told[id])]


@pytest.mark.parametrize("seconds", [-86_400, -1, 0, 1, 86_400])
async def test_a_transaction_that_began_first_may_change_last(world: World, seconds: int) -> None:
    """The clock may change between two changes, or belong to another server."""
    id = (await world.user())["id"]
    async with world.tx() as began_first:
        world.clock.move(seconds=seconds)
        await world.http.post(f"/v1/users/{id}/suspend")
        await users.reactivate(began_first, UUID(id))
    world.clock.move(seconds=-seconds)
    await world.http.post(f"/v1/users/{id}/suspend")
    assert [event["type"] for event in await feed(world)][:3] == [
        "user.suspended",
        "user.reactivated",
        "user.suspended",
    ]


async def test_a_clock_that_was_ahead_hides_nothing(world: World) -> None:
    id = (await world.user())["id"]
    bound = world.clock.now
    world.clock.move(days=400)
    await world.http.post(f"/v1/users/{id}/suspend")
    world.clock.move(days=-400)
    await world.http.post(f"/v1/users/{id}/reactivate")
    for query in ({}, {"since": bound.isoformat()}):
        types = [event["type"] for event in await feed(world, **query) if "user_id" in event["data"]]
        assert types == ["user.reactivated", "user.suspended", "user.created"]
    world.clock.move(seconds=1)
    assert [event["type"] for event in await feed(world, since=world.clock.now.isoformat())] == [
        "user.suspended"  # as its time shows
    ]


async def test_a_walk_shows_what_was_there_throughout_once(world: World) -> None:
    """While earlier events are committed."""
    for _ in range(6):
        await world.user()
    there = {event["id"] for event in await feed(world)}
    seen: list[str] = []
    params: dict[str, Any] = {"limit": 2}
    while True:
        async with world.tx() as late:
            await emit(late, UserSuspended(user_id=uuid4()), UserSuspended(user_id=uuid4()))
            await world.user()  # comes later, and is committed earlier
            page = (await world.http.get("/v1/events", params=params)).json()
        seen += [event["id"] for event in page["data"]]
        if not page["has_more"]:
            break
        params["cursor"] = page["next_cursor"]
    assert len(seen) == len(set(seen))
    assert there <= set(seen)


async def test_events_of_one_statement_keep_their_order(world: World) -> None:
    ids = [uuid4() for _ in range(50)]
    async with world.tx() as tx:
        await emit(tx, *(UserSuspended(user_id=id) for id in ids))
    shown = await feed(world, type="user.suspended")
    assert [event["data"]["user_id"] for event in reversed(shown)] == [str(id) for id in ids]


async def test_a_page_reads_what_it_shows(world: World, admin_url: str) -> None:
    """Wherever it starts, and even at the end: it does not read the rest of the table."""
    for _ in range(2):
        async with world.tx() as tx:
            await emit(tx, *(UserSuspended(user_id=uuid4()) for _ in range(10_000)))
        world.clock.move(days=20)
    since = world.clock.now.isoformat()
    await world.user()
    connection = await asyncpg.connect(admin_url)
    await connection.execute("ANALYZE events")
    await connection.close()
    half = (await world.http.get("/v1/events?limit=100")).json()["next_cursor"]
    for query in ({}, {"since": since}, {"type": "user.created", "since": since}, {"cursor": half}):
        assert await blocks(world, query) < 60
    world.clock.move(days=40)
    assert await blocks(world, {}) < 60


async def blocks(world: World, query: dict[str, Any]) -> int:
    """Returns how many blocks of the table and its indexes reading a page touches."""
    asked = EventQuery(**({"limit": 20} | query))
    async with world.tx() as tx:
        before = await tx.value(TOUCHED)
        await list_page(tx, asked)
        return int(await tx.value(TOUCHED) - before)
