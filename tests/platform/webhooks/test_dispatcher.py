"""The sending loop: beside other loops, with slow receivers, and when it is stopped."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from answers import sends
from posting import Post
from receiver import receiving
from trilha.platform.tenants.operator import operator
from webhook_loops import DONE, FAILED, WAITS, Gate, Loops, log, until, until_log

# Processes that wait for this transaction.
WAITING = """
    SELECT count(*) FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)) AND :tenant::uuid IS NOT NULL
"""


async def test_sends_without_being_told(post: Post, loops: Loops) -> None:
    async with receiving() as receiver, loops.running():
        await post.endpoint(receiver.url)
        for _ in range(3):
            await post.happen()
            await post.relay()
            await until(lambda: receiver.calls)
            receiver.calls.clear()
        await until_log(post.world, *[DONE] * 3)


async def test_a_slow_endpoint_holds_up_no_other(post: Post, loops: Loops) -> None:
    gate = Gate()
    async with receiving(gate) as slow, receiving() as healthy, loops.running():
        hanging = await post.endpoint(slow.url, "user.suspended")
        await post.endpoint(healthy.url, "course.created")
        for _ in range(30):
            await post.happen()
        await post.relay()
        await until(lambda: gate.held == 10)
        await post.world.course()
        await post.relay()
        await until(lambda: healthy.calls)
        assert gate.held == slow.connections == 10
        gate.opened.set()
        await until(lambda: len(slow.calls) == 30)
        assert gate.most == 10
        await until_log(post.world, *[DONE] * 31)
        assert len(await post.deliveries(hanging, "?limit=100")) == 30


async def test_further_attempts_do_not_crowd_out_first_ones(post: Post, loops: Loops) -> None:
    """Of a tenant's eight slots, two are reserved, and a hanging first attempt holds one of these.

    No attempt times out before the test ends, so held slots stay held.
    """
    failing, hanging = Gate(500), Gate()
    failing.opened.set()
    async with (
        receiving(failing) as again,
        receiving(hanging) as slow,
        receiving() as healthy,
        loops.running(slots=9, seconds=60),
    ):
        for _ in range(20):
            await post.endpoint(again.url, "user.suspended")
        await post.happen()
        await post.relay()
        await until_log(post.world, *[FAILED] * 20)
        failing.opened.clear()
        failing.most = 0
        post.world.clock.move(seconds=10)
        await until(lambda: failing.held == 6)
        await post.endpoint(slow.url, "user.created")
        await post.world.user()
        await post.relay()
        await until(lambda: hanging.held == 1)
        await post.endpoint(healthy.url, "course.created")
        await post.world.course()
        await post.relay()
        await until(lambda: healthy.calls)
        assert (failing.held, failing.most, hanging.held) == (6, 6, 1)
        failing.opened.set()
        hanging.opened.set()


async def test_stops_when_what_is_in_flight_is_written_down(post: Post, loops: Loops) -> None:
    gate = Gate()
    async with receiving(gate) as slow, receiving(sends()) as silent, loops.running() as stopping:
        for receiver in (slow, silent):
            await post.endpoint(receiver.url)
        await post.happen()
        await post.relay()
        await until(lambda: slow.calls and silent.calls)
        began = asyncio.get_running_loop().time()
        task = stopping()
        await post.happen()
        await post.relay()
        gate.opened.set()
        await task
        # At most the two seconds of an attempt, and no new attempt started.
        assert asyncio.get_running_loop().time() - began < 4
        assert len(slow.calls) == len(silent.calls) == 1
    assert sorted(await log(post.world)) == [DONE, WAITS, WAITS, ("PENDING", ["timeout"])]


async def test_what_waits_for_a_place_is_not_begun_at_the_end(post: Post, loops: Loops) -> None:
    """It would be cut off in the middle, and another process would send it again."""
    async with receiving(sends()) as silent, loops.running(slots=1) as stopping:
        await post.endpoint(silent.url)
        for _ in range(2):
            await post.happen()
        await post.relay()
        await until(lambda: silent.calls)
        await stopping()
        assert len(silent.calls) == 1
    assert sorted(await log(post.world)) == [WAITS, ("PENDING", ["timeout"])]


async def test_stops_when_the_database_has_it(post: Post, loops: Loops) -> None:
    """Results that are being recorded at the stop are not lost."""
    gate = Gate()
    async with receiving(gate) as receiver, loops.running() as stopping:
        await post.endpoint(receiver.url)
        await post.happen()
        await post.relay()
        await until(lambda: receiver.calls)
        async with post.world.tx() as tx:
            await tx.rows("SELECT FROM webhook_deliveries WHERE tenant_id = :tenant FOR UPDATE")
            gate.opened.set()
            while not await tx.value(WAITING):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            task = stopping()
            _, late = await asyncio.wait([task], timeout=0.2)
            assert late
        await task
    assert await log(post.world) == [DONE]


async def test_leaves_its_endpoints_to_others_when_it_stops(post: Post, loops: Loops) -> None:
    """Including one whose last results are recorded in two batches at once: neither is the last."""
    gates = Gate(), Gate()
    async with receiving(*gates) as receiver, loops.running() as stopping:
        await post.endpoint(receiver.url)
        for _ in gates:
            await post.happen()
        await post.relay()
        await until(lambda: all(gate.held for gate in gates))
        async with post.world.tx() as tx:
            await tx.rows("SELECT FROM webhook_deliveries WHERE tenant_id = :tenant FOR UPDATE")
            for count, gate in enumerate(gates, 1):
                gate.opened.set()
                while await tx.value(WAITING) < count:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        await until_log(post.world, DONE, DONE)
        await stopping()
    async with post.world.tx() as tx:
        holders = await tx.rows("SELECT holder FROM webhook_queues WHERE tenant_id = :tenant")
    assert [row["holder"] for row in holders] == [None]


@pytest.mark.parametrize("late", [204, 500])
async def test_who_was_late_is_not_believed(post: Post, loops: Loops, late: int) -> None:
    """After the lease has ended, the delivery belongs to another worker, whatever the result of the first
    attempt.
    """
    first, second = Gate(late), Gate(204 if late == 500 else 500)
    second.opened.set()
    async with receiving(first, second) as receiver, loops.idle() as one:
        endpoint = await post.endpoint(receiver.url)
        await post.happen()
        await post.relay()
        assert await one.deliver_due() == 1
        await until(lambda: first.held)
        async with loops.running():
            post.world.clock.move(seconds=29)
            asked = loops.due.asked
            await until(lambda: loops.due.asked > asked + 1)
            assert len(receiver.calls) == 1
            post.world.clock.move(seconds=1)
            state = "DELIVERED" if late == 500 else "PENDING"
            await until_log(post.world, (state, [second.status]))
        first.opened.set()
        over = asyncio.Event()
        over.set()
        await one.run(over)
        (delivery,) = await post.deliveries(endpoint)
        assert (delivery["status"], delivery["attempts"]) == (state, 1)
        assert len(receiver.calls) == 2
        found = (await post.world.http.get(f"/v1/webhooks/{endpoint['id']}")).json()["data"]
        assert found["failure_count"] == (0 if late == 500 else 1)


async def test_two_at_once_never_send_one_twice(post: Post, loops: Loops) -> None:
    gate = Gate()
    async with AsyncExitStack() as stack:
        receivers = [await stack.enter_async_context(receiving(gate)) for _ in range(4)]
        for receiver in receivers:
            await post.endpoint(receiver.url)
        for agent in ("one", "other"):
            await stack.enter_async_context(loops.running(slots=7, agent=agent))
        for _ in range(15):
            await post.happen()
        await post.relay()
        await until(lambda: gate.held == 12)
        gate.opened.set()
        await until_log(post.world, *[DONE] * 60)
    calls = [call.headers for receiver in receivers for call in receiver.calls]
    assert len({each["x-service-delivery-id"] for each in calls}) == len(calls) == 60
    assert {each["user-agent"] for each in calls} == {"one", "other"}


async def test_a_suspended_tenant_keeps_its_deliveries(post: Post, loops: Loops, database_url: str) -> None:
    async def become(status: str) -> None:
        async with operator(database_url, post.world.clock) as each:
            await each.set_status(post.world.tenant.slug, status)

    async with receiving() as receiver, loops.running():
        await post.endpoint(receiver.url)
        await post.happen()
        await become("SUSPENDED")
        await post.relay()
        asked = loops.due.asked
        await until(lambda: loops.due.asked > asked + 3)
        assert receiver.connections == 0
        assert await log(post.world) == [WAITS]
        await become("ACTIVE")
        await until_log(post.world, DONE)


@pytest.mark.parametrize("status", [204, 500])
@pytest.mark.parametrize("change", ["deleted", "inactive"])
async def test_an_endpoint_that_changes_meanwhile(post: Post, loops: Loops, change: str, status: int) -> None:
    """The result is recorded, and nothing more is sent."""
    gate, state = Gate(status), "DELIVERED" if status == 204 else "PENDING"
    async with receiving(gate) as receiver, loops.running():
        endpoint = await post.endpoint(receiver.url)
        path = f"/v1/webhooks/{endpoint['id']}"
        await post.happen()
        await post.relay()
        await until(lambda: gate.held)
        if change == "deleted":
            assert (await post.world.http.delete(path)).status_code == 204
        else:
            await post.world.http.patch(path, json={"active": False})
        gate.opened.set()
        await until_log(post.world, (state, [status]))
        await post.happen()
        await post.relay()
        post.world.clock.move(seconds=60)
        asked = loops.due.asked
        await until(lambda: loops.due.asked > asked + 3)
        assert len(receiver.calls) == 1
        if change == "inactive":
            gate.status = 204
            await post.world.http.patch(path, json={"active": True})
            await until_log(post.world, DONE if status == 204 else ("DELIVERED", [500, 204]))
