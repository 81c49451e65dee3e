"""Claims what is due, sends it, records what came of it: `Dispatcher.deliver` is the life of a delivery.

What a process that dies has claimed is claimed again when the lease is over. A result counts only while its
claim stands, so two processes never both decide about one delivery.
"""

import asyncio
import contextlib
import math
import random
from collections.abc import Coroutine
from datetime import timedelta
from functools import lru_cache, partial
from typing import Any
from uuid import UUID, uuid4

from trilha.core import logs
from trilha.core.database import LOST, Database
from trilha.webhooks.delivery import queue
from trilha.webhooks.delivery.due_tenants import DueTenants, FindDue
from trilha.webhooks.delivery.recorder import Recorder
from trilha.webhooks.delivery.results import result_of
from trilha.webhooks.delivery.sender import Sender
from trilha.webhooks.schema import ClaimedDelivery

# Seconds between two looks when nothing is due.
_PAUSE = 0.05
# Seconds after the stop in which attempts still begin, and how long one that began may take beyond its limit.
_BEGIN, _DRAIN = 1, 2
# The share of the slots that retries leave to first attempts.
_FIRST_ATTEMPTS_SHARE = 0.25


class Dispatcher:
    """At most `slots` requests are under way, and `per_endpoint` to one endpoint."""

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
        """`lease` is three times an attempt's limit: it also waits for a slot, and to be recorded."""
        self._database = database
        self._sender = sender
        self._max_claimed = 2 * slots  # half of them wait, so that no slot waits for a claim
        self._max_retries = max(1, int(slots * (1 - _FIRST_ATTEMPTS_SHARE)))
        self._per_endpoint = per_endpoint
        self._lease = lease
        self._slots = asyncio.Semaphore(slots)
        self._batch = max(1, slots // 2)
        self._due = DueTenants(find_due or partial(queue.due_tenants, database))
        self._claimed: dict[asyncio.Task[None], ClaimedDelivery] = {}
        self._claimed_at = 0.0
        self._begin_until = math.inf
        self._wake = asyncio.Event()
        self._recorder = Recorder(database, recorded=self._wake.set)
        self._open = lru_cache(4096)(self._open_secret)

    async def deliver(self, tenant_id: UUID, limit: int) -> int:
        """Claims deliveries of a tenant, and for each of them begins to send it and record the result.

        Returns how many were claimed, before they are sent.
        """
        async with self._database.transaction(tenant_id) as tx:
            claimed = await queue.claim(
                tx,
                uuid4(),
                tx.now + self._lease,
                limit=limit,
                retry_limit=max(0, self._max_retries - self._retries()),
                endpoint_limit=self._per_endpoint,
            )

        async def send_and_record(delivery: ClaimedDelivery) -> None:
            async with self._slots:
                if self._is_stopping():
                    return  # it would be cut off; another process sends it when the lease is over
                sent = await self._sender.send(delivery, self._secrets(delivery))
            jitter = random.random()  # noqa: S311
            self._recorder.add(result_of(delivery, sent, self._database.clock(), jitter))

        for delivery in claimed:
            self._begin(delivery, send_and_record(delivery))
        return len(claimed)

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`; then requests under way are waited for and recorded."""
        recording = asyncio.create_task(self._recorder.run())
        try:
            while not stop.is_set():
                await self._turn()
        finally:
            self._begin_until = asyncio.get_running_loop().time() + _BEGIN
            if self._claimed:
                await asyncio.wait(self._claimed, timeout=self._lease.total_seconds() / 3 + _DRAIN)
            recording.cancel()
            self._due.close()
            await self._recorder.flush()

    async def drain(self) -> int:
        """Sends all that is due now and records it; how many requests."""
        sent = 0
        while claimed := await self.deliver_due():
            sent += claimed
            if self._claimed:
                await asyncio.wait(self._claimed)
            await self._recorder.flush()
        return sent

    async def deliver_due(self) -> int:
        """Shares the room there is among the tenants with something due; how many were claimed."""
        tenants = await self._due.list()
        claimed, room = 0, self._room()
        for place, tenant_id in enumerate(tenants):
            if claimed >= room:
                break
            share = math.ceil((room - claimed) / (len(tenants) - place))
            got = await self.deliver(tenant_id, share)
            if not got:
                self._due.discard(tenant_id)
            claimed += got
        return claimed

    async def _turn(self) -> None:
        self._wake.clear()
        claimed = 0
        try:
            # In batches, as a claim of one costs as much as one of fifty; but after a pause also fewer, as
            # slow receivers may keep most slots for long.
            room, now = self._room(), asyncio.get_running_loop().time()
            if room >= self._batch or (room and now >= self._claimed_at + _PAUSE):
                self._claimed_at = now
                claimed = await self.deliver_due()
        except LOST as error:
            logs.note("send webhooks: database lost", error=logs.where(error))
        except Exception as error:
            logs.failed("send webhooks failed", error)
        if not claimed:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _PAUSE)

    def _begin(self, delivery: ClaimedDelivery, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._claimed[task] = delivery
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        del self._claimed[task]
        if not task.cancelled() and (error := task.exception()):
            logs.failed("send webhooks failed", error)
        if self._room() >= self._batch:
            self._wake.set()

    def _room(self) -> int:
        return self._max_claimed - len(self._claimed)

    def _retries(self) -> int:
        return sum(delivery.is_retry for delivery in self._claimed.values())

    def _is_stopping(self) -> bool:
        return asyncio.get_running_loop().time() > self._begin_until

    def _secrets(self, delivery: ClaimedDelivery) -> list[str]:
        return [self._open(sealed, delivery.tenant_id, delivery.endpoint_id) for sealed in delivery.secrets]

    def _open_secret(self, sealed: bytes, tenant_id: UUID, endpoint_id: UUID) -> str:
        return self._database.keyring.open(sealed, tenant_id, "webhooks", endpoint_id)
