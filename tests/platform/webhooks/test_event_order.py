"""Deliveries to an endpoint start in the order of the events' sequence."""

import json
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import World
from posting import Post, find_due, run_job
from receiver import Receiver, receiving
from trilha.people.users import actions as users
from trilha.platform.events.catalogue import UserSuspended
from trilha.platform.events.outbox import emit
from trilha.platform.webhooks import jobs
from trilha.platform.webhooks.delivery.dispatcher import Dispatcher

BOTH = ("user.suspended", "user.reactivated")


@pytest.fixture
def one_by_one(post: Post) -> Post:
    """Sends one delivery at a time, so that they are received in the order in which they start."""
    world, sender = post.world, post.dispatcher._sender
    find = partial(find_due, world)
    return Post(world, Dispatcher(world.database, sender, slots=1, per_endpoint=1, find_due=find))


def received(receiver: Receiver) -> list[Any]:
    return [json.loads(call.body)["data"]["user_id"] for call in receiver.calls]


def types(receiver: Receiver) -> list[str]:
    return [json.loads(call.body)["type"] for call in receiver.calls]


async def emit_some(world: World, count: int) -> list[str]:
    ids = [uuid4() for _ in range(count)]
    async with world.tx() as tx:
        await emit(tx, *(UserSuspended(user_id=id) for id in ids))
    return [str(id) for id in ids]


async def test_events_relayed_together(one_by_one: Post) -> None:
    async with receiving() as receiver:
        await one_by_one.endpoint(receiver.url)
        ids = await emit_some(one_by_one.world, 30)
        await one_by_one.send()
        assert received(receiver) == ids


async def test_the_last_delivery_agrees_with_the_status(one_by_one: Post) -> None:
    """The transaction that changes last began first."""
    world = one_by_one.world
    async with receiving() as receiver:
        await one_by_one.endpoint(receiver.url, *BOTH)
        id = (await world.user())["id"]
        async with world.tx() as began_first:
            world.clock.move(seconds=1)
            await world.http.post(f"/v1/users/{id}/suspend")
            await users.reactivate(began_first, UUID(id))
        await one_by_one.send()
        assert types(receiver) == list(BOTH)


async def test_after_the_clock_was_ahead(one_by_one: Post) -> None:
    """Deliveries from that time neither wait for the clock nor are overtaken."""
    world = one_by_one.world
    async with receiving() as receiver:
        await one_by_one.endpoint(receiver.url, *BOTH)
        id = (await world.user())["id"]
        world.clock.move(hours=1)
        await world.http.post(f"/v1/users/{id}/suspend")
        await one_by_one.relay()
        world.clock.move(hours=-1)
        await world.http.post(f"/v1/users/{id}/reactivate")
        await one_by_one.send()
        assert types(receiver) == list(BOTH)


async def test_what_is_committed_late_is_not_passed_over(one_by_one: Post) -> None:
    """Its sequence is lower than that of already relayed events."""
    world, late_id = one_by_one.world, uuid4()
    async with receiving() as receiver:
        await one_by_one.endpoint(receiver.url)
        async with world.tx() as late:
            await emit(late, UserSuspended(user_id=late_id))
            (early,) = await emit_some(world, 1)
            await one_by_one.send()
        await one_by_one.send()
        assert received(receiver) == [early, str(late_id)]


async def test_one_relay_at_a_time(post: Post) -> None:
    """Otherwise the one with the later events could finish first."""
    await post.relay()
    endpoint = await post.endpoint("http://127.0.0.1:9/")
    await emit_some(post.world, 1)
    async with post.world.tx() as tx:
        assert await jobs.relay(tx) == 1
        await emit_some(post.world, 1)
        assert await post.relay() == 0
    assert await post.relay() == 1
    assert len(await post.deliveries(endpoint)) == 2


async def test_a_replay(one_by_one: Post) -> None:
    """In the order of the sequence, with the whole period, even if the timestamps have another order."""
    world = one_by_one.world
    since = world.clock.now
    ids = []
    for hours in (0, 2, -1, 1):
        world.clock.move(hours=hours)
        ids += await emit_some(world, 2)
    outside = await emit_some(world, 1)
    world.clock.move(hours=10)
    outside += await emit_some(world, 1)
    await one_by_one.relay()
    async with receiving() as receiver:
        endpoint = await one_by_one.endpoint(receiver.url)
        until = world.clock.now
        span = {"since": since.isoformat(), "until": until.isoformat()}
        answer = await world.http.post(f"/v1/webhooks/{endpoint['id']}/replay", json=span)
        assert answer.status_code == 202
        while await run_job(jobs.REPLAY, world):
            pass
        await one_by_one.send()
        assert received(receiver) == [*ids, outside[0]]


async def test_a_replay_of_several_batches(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_REPLAY_BATCH", 3)
    since = post.world.clock.now
    await emit_some(post.world, 10)
    post.world.clock.move(seconds=1)
    until = post.world.clock.now
    await emit_some(post.world, 5)
    await post.relay()
    endpoint = await post.endpoint("http://127.0.0.1:9/")
    span = {"since": since.isoformat(), "until": until.isoformat()}
    await post.world.http.post(f"/v1/webhooks/{endpoint['id']}/replay", json=span)
    turns = 0
    while await run_job(jobs.REPLAY, post.world):
        turns += 1
    assert turns == 4
    assert len(await post.deliveries(endpoint, "?limit=100")) == 10
