"""Claims due deliveries, sends them and records the results. `Dispatcher.deliver` is the life of a delivery.

If a process dies, its deliveries are claimed again after the lease. A result counts only while its claim
is valid, so two processes never both decide about one delivery.
"""

import asyncio
import contextlib
import math
import random
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from datetime import timedelta
from functools import lru_cache, partial
from typing import Any
from uuid import UUID, uuid4

from trilha.core import logs, tracing
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.platform.webhooks.delivery import claims, queue
from trilha.platform.webhooks.delivery.claims import Claim
from trilha.platform.webhooks.delivery.due_endpoints import DueEndpoints
from trilha.platform.webhooks.delivery.fair_queue import Ask, FairQueue
from trilha.platform.webhooks.delivery.queue import Due
from trilha.platform.webhooks.delivery.recorder import Recorder
from trilha.platform.webhooks.delivery.results import result_of
from trilha.platform.webhooks.delivery.sender import Sender
from trilha.platform.webhooks.schema import ClaimedDelivery, SendResult

# seconds between two claims: if more deliveries are known to be due, and if none are
_PACE, _PAUSE = 0.02, 0.05
# concurrent claims, each in a different tenant
_CONCURRENT_CLAIMS = 4
# Seconds after the stop in which attempts still begin, and the extra seconds that a running attempt may take.
_BEGIN, _DRAIN = 1, 2

# Receives the worker, the tenants without free slots, and the tenants being served.
FindDue = Callable[[UUID, Collection[UUID], Collection[UUID]], Coroutine[Any, Any, Due]]


class Dispatcher:
    """Sends at most `slots` requests at a time, and at most `per_endpoint` to one endpoint."""

    def __init__(
        self,
        database: Database,
        sender: Sender,
        *,
        slots: int,
        per_endpoint: int,
        lease: timedelta = timedelta(seconds=30),
        find_due: FindDue | None = None,
    ) -> None:
        """`lease` is three times the time limit of an attempt, because a delivery also waits for a slot
        and for its result to be recorded.
        """
        self._database = database
        self._sender = sender
        self._worker = uuid4()
        self._lease = lease
        self._due = DueEndpoints(partial(find_due or partial(queue.find_due, database), self._worker))
        self._fair_queue = FairQueue(slots, per_endpoint, time.monotonic)
        self._recorder = Recorder(database, self._worker, self._fair_queue)
        self._claims = asyncio.Semaphore(_CONCURRENT_CLAIMS)
        self._attempts: set[asyncio.Task[None]] = set()
        self._begin_until = math.inf
        self._open = lru_cache(4096)(self._open_secret)

    async def deliver(self, delivery: ClaimedDelivery) -> None:
        """Makes one attempt. Its result is recorded in a batch shortly after."""
        sent = None
        try:
            sent = await self._send(delivery)
            jitter = random.random()  # noqa: S311
            self._recorder.add(result_of(delivery, sent, self._database.clock(), jitter))
        except Exception as error:
            logs.log_failure("send webhooks failed", error)
        finally:
            self._fair_queue.finish_attempt(delivery, sent)

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until `stop`, then waits for running requests, records them, and releases the other claims."""
        recording = asyncio.create_task(self._recorder.run())
        try:
            while not stop.is_set():
                await self._turn(stop)
        finally:
            self._begin_until = time.monotonic() + _BEGIN
            end = time.monotonic() + self._lease.total_seconds() / 3 + _DRAIN
            while self._attempts and time.monotonic() < end:
                await asyncio.wait(self._attempts, timeout=end - time.monotonic())
            recording.cancel()
            self._due.close()
            await self._recorder.flush()
            await self._give_back()

    async def drain(self) -> int:
        """Sends and records all due deliveries. Returns the number of requests."""
        sent = 0
        while claimed := await self.deliver_due():
            sent += claimed
            while self._attempts:
                await asyncio.wait(self._attempts)
            await self._recorder.flush()
        return sent

    async def deliver_due(self) -> int:
        """Claims due deliveries as far as there is room, and starts to send them. Returns how many were
        claimed.
        """
        hungry = self._fair_queue.hungry()
        await self._due.look(self._fair_queue.full(), self._fair_queue.tenants, wait=not hungry)
        return await self._claim_from(self._due.take(hungry))

    async def _turn(self, stop: asyncio.Event) -> None:
        try:
            hungry, serving = self._fair_queue.hungry(), self._fair_queue.tenants
            await self._due.look(self._fair_queue.full(), serving, wait=not serving)
            await self._claim_from(self._due.take(hungry))
        except CONNECTION_ERRORS as error:
            logs.note("send webhooks: database lost", error=logs.where(error))
        except Exception as error:
            logs.log_failure("send webhooks failed", error)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _PACE if self._fair_queue.tenants else _PAUSE)

    async def _claim_from(self, due: Sequence[tuple[UUID, list[UUID]]]) -> int:
        claims = [self._claim(tenant_id, endpoints) for tenant_id, endpoints in due]
        outcomes = await asyncio.gather(*claims, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return sum(outcome for outcome in outcomes if isinstance(outcome, int))

    async def _claim(self, tenant_id: UUID, endpoints: list[UUID]) -> int:
        async with self._claims:
            ask = self._fair_queue.ask(tenant_id, endpoints)
            if ask is None:
                return 0
            # An attempt that begins later might still run when the lease ends.
            begin_until = time.monotonic() + self._lease.total_seconds() * 2 / 3
            try:
                claim = await self._claim_of_tenant(ask)
            except BaseException:
                self._fair_queue.give_up(ask)
                raise
            self._fair_queue.take_in(ask, claim, begin_until)
            self._begin()
            return len(claim.deliveries)

    async def _claim_of_tenant(self, ask: Ask) -> Claim:
        async with self._database.transaction(ask.tenant_id) as tx:
            return await claims.claim(
                tx,
                self._worker,
                tx.now + self._lease,
                ask.requests,
                limit=ask.limit,
                retry_limit=ask.retry_limit,
                in_flight_limits=self._fair_queue.in_flight_limits,
            )

    def _begin(self) -> None:
        """Begins all attempts that may begin."""
        while delivery := self._next():
            task = asyncio.create_task(self._deliver_on(delivery))
            self._attempts.add(task)
            task.add_done_callback(self._attempts.discard)

    async def _deliver_on(self, delivery: ClaimedDelivery | None) -> None:
        """Continues with further deliveries in the same task, because creating a task for each is slow."""
        while delivery is not None:
            await self.deliver(delivery)
            delivery = self._next()
            self._begin()

    def _next(self) -> ClaimedDelivery | None:
        return self._fair_queue.next() if time.monotonic() <= self._begin_until else None

    async def _give_back(self) -> None:
        """Releases the claims, so that other workers need not wait for the end of the lease."""
        waiting, busy = self._fair_queue.empty(), self._fair_queue.busy()
        try:
            # Ask the database: this worker can hold an endpoint without any of its deliveries.
            held = await queue.find_held(self._database, self._worker)
            for tenant_id in {*waiting, *held}:
                free = [each for each in held.get(tenant_id, ()) if each not in busy]
                async with self._database.transaction(tenant_id) as tx:
                    await queue.give_back(tx, self._worker, waiting.get(tenant_id, []), free)
        except CONNECTION_ERRORS as error:
            logs.note("give webhooks back: database lost", error=logs.where(error))

    async def _send(self, delivery: ClaimedDelivery) -> SendResult:
        attributes = {
            "trilha.tenant_id": str(delivery.tenant_id),
            "trilha.delivery_id": str(delivery.id),
            "trilha.event_type": delivery.event_type,
        }
        with tracing.span("deliver webhook", attributes, parent=delivery.traceparent) as span:
            sent = await self._sender.send(delivery, self._secrets(delivery))
            if not sent.is_success:
                span.fail(sent.error or str(sent.http_status))
            return sent

    def _secrets(self, delivery: ClaimedDelivery) -> list[str]:
        return [self._open(sealed, delivery.tenant_id, delivery.endpoint_id) for sealed in delivery.secrets]

    def _open_secret(self, sealed: bytes, tenant_id: UUID, endpoint_id: UUID) -> str:
        return self._database.keyring.open(sealed, tenant_id, "webhooks", endpoint_id)
