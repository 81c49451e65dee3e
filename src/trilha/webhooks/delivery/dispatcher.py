"""The loop that sends: claims what is due, sends it, writes down what came of it.

What is claimed by a process that dies is claimed again when its lease is over. An outcome counts only
while its claim stands, so that two processes never both decide about one delivery.
"""

import asyncio
import contextlib
import math
import random
from collections.abc import Callable, Coroutine, Sequence
from datetime import timedelta
from functools import lru_cache, partial
from typing import Any
from uuid import UUID, uuid4

from trilha.core import logs
from trilha.core.database import LOST, Database
from trilha.webhooks import rules
from trilha.webhooks.delivery import queue
from trilha.webhooks.delivery.queue import Verdict
from trilha.webhooks.delivery.sender import Sender
from trilha.webhooks.delivery.settler import Settler
from trilha.webhooks.schema import Attempt, Claim, Outcome

_REST = 0.05
_LOOK = 0.1
# After the stop: how long more is begun, and for how long beyond an attempt all that was begun is waited for.
_BEGIN, _DRAIN = 1, 2
# Of the slots, what first attempts may not be crowded out of.
_KEPT_FOR_FIRST = 0.25


class Dispatcher:
    def __init__(
        self,
        database: Database,
        sender: Sender,
        *,
        slots: int,
        per_endpoint: int,
        lease: timedelta = timedelta(seconds=30),
        find_due: Callable[[], Coroutine[Any, Any, Sequence[UUID]]] | None = None,
    ) -> None:
        """`lease` is three times the limit of an attempt, which waits for a place and for being settled."""
        self._database = database
        self._find_due = find_due or partial(queue.due_tenants, database)
        self._sender = sender
        self._slots = slots
        self._per_endpoint = per_endpoint
        self._lease = lease
        self._again_most = max(1, int(slots * (1 - _KEPT_FOR_FIRST)))
        self._sending: set[asyncio.Task[None]] = set()
        self._again = 0
        self._wake = asyncio.Event()
        self._settler = Settler(database, self._wake)
        self._places = asyncio.Semaphore(slots)
        self._batch = max(1, slots // 2)
        self._claimed_at = 0.0
        self._begin_until = math.inf
        self._due: set[UUID] = set()
        self._looked_at = 0.0
        self._looking: asyncio.Task[Sequence[UUID]] | None = None
        self._open = lru_cache(4096)(self._open_secret)

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`; then what is in flight is waited for, and written down."""
        settling = asyncio.create_task(self._settler.run())
        try:
            while not stop.is_set():
                await self._turn()
        finally:
            self._begin_until = asyncio.get_running_loop().time() + _BEGIN
            if self._sending:
                await asyncio.wait(self._sending, timeout=self._lease.total_seconds() / 3 + _DRAIN)
            settling.cancel()
            if self._looking:
                self._looking.cancel()
            await self._settler.flush()

    async def drain(self) -> int:
        """Sends all that is due now and writes it down; how many."""
        sent = 0
        while claimed := await self.claim():
            sent += claimed
            await asyncio.wait(self._sending)
            await self._settler.flush()
        return sent

    async def _turn(self) -> None:
        self._wake.clear()
        claimed = 0
        try:
            # In batches: a claim of one costs as much as one of fifty. But slow receivers may keep most
            # slots for long.
            free, now = self._room(), asyncio.get_running_loop().time()
            if free >= self._batch or (free and now >= self._claimed_at + _REST):
                self._claimed_at = now
                claimed = await self.claim()
        except LOST as error:
            logs.note("send webhooks: database lost", error=logs.where(error))
        except Exception as error:
            logs.failed("send webhooks failed", error)
        if not claimed:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _REST)

    def _room(self) -> int:
        """How many may be claimed: as many again as there are slots, so that none waits for a claim."""
        return 2 * self._slots - len(self._sending)

    async def claim(self) -> int:
        """Starts to send what is due, as far as there are slots; how many."""
        tenants = await self._due_tenants()
        claimed, most = 0, self._room()
        for place, tenant_id in enumerate(tenants):
            if claimed >= most:
                break
            got = await self._claim_of(tenant_id, -(-(most - claimed) // (len(tenants) - place)))
            if not got:
                self._due.discard(tenant_id)
            claimed += got
        return claimed

    async def _due_tenants(self) -> list[UUID]:
        """Looked up now and then, beside the claims: a tenant with something due has more, as a rule."""
        now = asyncio.get_running_loop().time()
        if self._looking is None and (not self._due or now >= self._looked_at + _LOOK):
            self._looked_at = now
            self._looking = asyncio.create_task(self._find_due())
        if self._looking and (self._looking.done() or not self._due):
            looking, self._looking = self._looking, None
            self._due = set(await looking)
        return random.sample(list(self._due), len(self._due))

    async def _claim_of(self, tenant_id: UUID, most: int) -> int:
        async with self._database.transaction(tenant_id) as tx:
            claims = await queue.claim(
                tx,
                uuid4(),
                tx.now + self._lease,
                most=most,
                most_again=max(0, self._again_most - self._again),
                most_each=self._per_endpoint,
            )
        for each in claims:
            self._again += each.cycle_attempts > 0
            task = asyncio.create_task(self._send(each))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        return len(claims)

    async def _send(self, claim: Claim) -> None:
        try:
            async with self._places:
                if asyncio.get_running_loop().time() > self._begin_until:
                    return  # it would be cut off; whoever has it after the lease sends it
                outcome = await self._sender.send(claim, self._secrets(claim))
            self._settler.add(self._judge(claim, outcome))
        except Exception as error:
            logs.failed("send webhooks failed", error)
        finally:
            self._again -= claim.cycle_attempts > 0
            if self._room() >= self._batch:
                self._wake.set()

    def _secrets(self, claim: Claim) -> list[str]:
        sealed = [claim.secret, *([claim.previous_secret] if claim.previous_secret else [])]
        return [self._open(each, claim.tenant_id, claim.endpoint_id) for each in sealed]

    def _open_secret(self, sealed: bytes, tenant_id: UUID, endpoint_id: UUID) -> str:
        return self._database.keyring.open(sealed, tenant_id, "webhooks", endpoint_id)

    def _judge(self, claim: Claim, outcome: Outcome) -> Verdict:
        chance = random.random()  # noqa: S311
        delay = None
        if not outcome.delivered:
            delay = rules.delay_after(claim.cycle_attempts + 1, chance, outcome.retry_after)
        pending = delay is not None
        return Verdict(
            claim=claim,
            attempt=Attempt(
                number=claim.attempts + 1,
                at=outcome.at,
                http_status=outcome.http_status,
                error=outcome.error,
                duration_ms=outcome.duration_ms,
                response_body=outcome.response_body,
            ),
            status="DELIVERED" if outcome.delivered else "PENDING" if pending else "DEAD_LETTER",
            next_attempt_at=self._database.clock() + timedelta(seconds=delay or 0) if pending else None,
        )
