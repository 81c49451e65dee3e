"""Fair sending: no slow tenant, endpoint or receiver takes the slots that others need."""

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from conftest import World
from posting import Post, posting
from receiver import receiving
from trilha.core.database import Database
from trilha.core.types import Timestamp
from trilha.platform.webhooks import rules
from trilha.platform.webhooks.delivery import claims, queue
from trilha.platform.webhooks.delivery.claims import Claim, EndpointState
from trilha.platform.webhooks.delivery.dispatcher import Dispatcher
from trilha.platform.webhooks.delivery.fair_queue import FairQueue
from trilha.platform.webhooks.delivery.queue import Due
from trilha.platform.webhooks.delivery.sender import Sender
from trilha.platform.webhooks.schema import ClaimedDelivery, SendResult
from trilha.settings import Settings
from webhook_loops import DONE, Gate, Loops, log, until, until_log

NOW = Timestamp.of(datetime(2026, 1, 1, tzinfo=UTC))


class Turns:
    """A queue in which every endpoint has as many deliveries as may be claimed."""

    def __init__(self, slots: int, per_endpoint: int = 10) -> None:
        self.queue = FairQueue(slots, per_endpoint, time.monotonic)

    def claim(self, tenant: UUID, endpoints: Collection[UUID], failures: int = 0) -> int:
        """Returns how many were claimed."""
        ask = self.queue.ask(tenant, endpoints)
        if ask is None:
            return 0
        claimed = [
            ClaimedDelivery(uuid4(), tenant, NOW, tenant, each.endpoint_id, "", [], tenant, "", NOW, {}, 0, 0)
            for each in ask.requests
            for _ in range(min(each.count, rules.in_flight_limits(10)[failures]) if failures else each.count)
        ][: ask.limit]
        states = {each.endpoint_id: EndpointState(each.endpoint_id, True, failures) for each in ask.requests}
        self.queue.take_in(ask, Claim(claimed, states), time.monotonic() + 10)
        return len(claimed)

    def begin(self) -> list[ClaimedDelivery]:
        """Starts all attempts that may start."""
        begun = []
        while delivery := self.queue.next():
            begun.append(delivery)
        return begun


def test_one_tenant_has_nearly_all_places() -> None:
    turns, tenant = Turns(500), uuid4()
    assert turns.claim(tenant, [uuid4() for _ in range(100)]) == 444
    assert len(turns.begin()) == 444
    assert turns.claim(tenant, [uuid4()]) == 0
    assert turns.queue.full() == [tenant]


def test_whoever_comes_next_finds_places() -> None:
    """Even if several tenants use all their slots on silent receivers."""
    turns = Turns(500)
    for number in range(4):
        turns.claim(uuid4(), [uuid4() for _ in range(100)])
        assert turns.begin(), f"nothing left for tenant {number}"


def test_tenants_take_turns() -> None:
    turns, busy, other = Turns(20), uuid4(), uuid4()
    turns.claim(busy, [uuid4() for _ in range(4)])
    begun = turns.begin()
    assert len(begun) == 17
    turns.claim(other, [uuid4()])
    assert [each.tenant_id for each in turns.begin()] == [other] * 2
    for each in begun[:8]:
        turns.queue.finish_attempt(each, SendResult(at=NOW, http_status=204, duration_ms=5))
    turns.claim(busy, [uuid4()])
    turns.claim(other, [uuid4()])
    assert {each.tenant_id for each in turns.begin()} == {busy, other}


@pytest.mark.parametrize(("failures", "most"), [(0, 10), (1, 9), (5, 5), (9, 1), (10, 1)])
def test_failures_leave_an_endpoint_fewer_places(failures: int, most: int) -> None:
    turns = Turns(500)
    turns.claim(uuid4(), [uuid4()], failures)
    assert len(turns.begin()) == most


def test_only_fast_endpoints_are_claimed_ahead() -> None:
    for took, ahead in ((5, 16), (400, 0)):
        turns, tenant, endpoint = Turns(500), uuid4(), uuid4()
        turns.claim(tenant, [endpoint])
        for each in turns.begin():
            turns.queue.finish_attempt(each, SendResult(at=NOW, http_status=204, duration_ms=took))
        assert turns.claim(tenant, [endpoint]) == 10 + ahead
        assert len(turns.begin()) == 10


def test_what_waited_for_too_long_is_not_begun() -> None:
    """Its lease could end during the attempt."""
    now = 0.0
    turns, tenant, endpoint = Turns(500), uuid4(), uuid4()
    turns.queue._clock = lambda: now
    turns.claim(tenant, [endpoint])
    now = time.monotonic() + 11
    assert turns.begin() == []
    assert turns.queue.next() is None


@asynccontextmanager
async def serving(settings: Settings, *worlds: World, slots: int) -> AsyncIterator[None]:
    """Runs a dispatcher for these tenants."""
    database, ids = worlds[0].database, {world.tenant.id for world in worlds}

    async def find_due(worker: UUID, full: Collection[UUID], serving: Collection[UUID]) -> Due:
        found = await queue.find_due(database, worker, full, serving, limit=100_000)
        return Due([each for each in found.endpoints if each.tenant_id in ids], found.suspended)

    sender = Sender(settings.guard, worlds[0].clock, seconds=10, header_prefix="X-", agent="Test")
    async with sender:
        dispatcher = Dispatcher(database, sender, slots=slots, per_endpoint=10, find_due=find_due)
        stop = asyncio.Event()
        task = asyncio.create_task(dispatcher.run(stop))
        try:
            yield
        finally:
            stop.set()
            await task


async def test_silent_receivers_of_one_tenant_delay_no_other(
    post: Post, stranger: World, settings: Settings
) -> None:
    gate = Gate()
    async with (
        posting(stranger, settings) as other,
        receiving(gate) as silent,
        receiving() as healthy,
        serving(settings, post.world, stranger, slots=20),
    ):
        for _ in range(5):
            await post.endpoint(silent.url)
        for _ in range(10):
            await post.happen()
        await post.relay()
        await until(lambda: gate.held == 17)
        await other.endpoint(healthy.url)
        await other.happen()
        await other.relay()
        began = asyncio.get_running_loop().time()
        await until(lambda: healthy.calls)
        assert asyncio.get_running_loop().time() - began < 2  # an attempt at a silent receiver takes ten
        assert gate.held == 17
        gate.opened.set()
        await until_log(post.world, *[DONE] * 50)


async def test_a_place_is_free_when_the_answer_is_in(post: Post, loops: Loops) -> None:
    """And not only when the result is recorded, which is blocked meanwhile."""
    gate = Gate()
    async with receiving(gate) as receiver, loops.running():
        await post.endpoint(receiver.url)
        for _ in range(30):
            await post.happen()
        await post.relay()
        await until(lambda: gate.held == 10)
        async with post.world.tx() as tx:
            await tx.rows(
                """
                SELECT FROM webhook_deliveries
                WHERE tenant_id = :tenant AND claim_id IS NOT NULL FOR UPDATE
                """
            )
            gate.opened.set()
            await until(lambda: len(receiver.calls) == 30)
            assert gate.most == 10
            assert [state for state, _ in await log(post.world)].count("PENDING") >= 10
        await until_log(post.world, *[DONE] * 30)


async def test_two_workers_keep_the_limit_of_an_endpoint(post: Post, loops: Loops) -> None:
    gate = Gate()
    async with (
        receiving(gate) as receiver,
        loops.running(agent="one"),
        loops.running(agent="other"),
    ):
        await post.endpoint(receiver.url)
        for _ in range(40):
            await post.happen()
        await post.relay()
        await until(lambda: gate.held == 10)
        asked = loops.due.asked
        await until(lambda: loops.due.asked > asked + 2)
        assert gate.most == 10
        gate.opened.set()
        await until_log(post.world, *[DONE] * 40)
    assert gate.most == 10
    assert len({call.headers["x-service-delivery-id"] for call in receiver.calls}) == 40


async def test_nothing_is_left_behind_by_a_claim_that_could_not_see_it(
    post: Post, database: Database
) -> None:
    """A delivery commits while the queue of its endpoint is being claimed."""
    endpoint = await post.endpoint("http://127.0.0.1:9/")
    tenant, id = post.world.tenant.id, UUID(endpoint["id"])
    await post.happen()
    async with database.transaction(tenant) as tx:
        relaying = asyncio.create_task(post.relay())
        wanted = [claims.ClaimRequest(id, 10, False)]
        until_then = tx.now
        claim = await claims.claim(
            tx, uuid4(), until_then, wanted, limit=10, retry_limit=10, in_flight_limits=[10]
        )
        assert claim.deliveries == []
    await relaying
    due = await queue.find_due(database, uuid4(), [], [], limit=100_000)
    assert [each.endpoint_id for each in due.endpoints if each.tenant_id == tenant] == [id]
