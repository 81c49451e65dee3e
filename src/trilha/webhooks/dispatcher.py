"""The loop that sends: claims what is due, sends it, writes down what came of it.

What is claimed by a process that dies is claimed again when its lease is over. An outcome counts only
while its claim stands, so that two processes never both decide about one delivery.
"""

import asyncio
import contextlib
import random
from datetime import timedelta
from functools import lru_cache
from uuid import UUID, uuid4

from trilha.core import logs
from trilha.core.db import LOST, Database
from trilha.doors import Doors
from trilha.webhooks import outcomes, queue, rules
from trilha.webhooks.queue import Verdict
from trilha.webhooks.schema import Attempt, Claim, Outcome
from trilha.webhooks.sender import Sender

_REST = 0.05
_GATHER = 0.005
_SETTLE_MOST = 500
_DRAIN = 12
# Of the slots, what first attempts may not be crowded out of.
_KEPT_FOR_FIRST = 0.25


class Dispatcher:
    def __init__(
        self,
        database: Database,
        doors: Doors,
        sender: Sender,
        *,
        slots: int,
        per_endpoint: int,
        lease: timedelta = timedelta(seconds=30),
    ) -> None:
        """`lease` is longer than an attempt and all that may hold up writing down its outcome."""
        self._database = database
        self._doors = doors
        self._sender = sender
        self._slots = slots
        self._per_endpoint = per_endpoint
        self._lease = lease
        self._again_most = max(1, int(slots * (1 - _KEPT_FOR_FIRST)))
        self._sending: set[asyncio.Task[None]] = set()
        self._again = 0
        self._verdicts: list[Verdict] = []
        self._verdict_came = asyncio.Event()
        self._settled = asyncio.Event()
        self._batch_least = max(1, slots // 4)
        self._open = lru_cache(4096)(self._open_secret)

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`; then what is in flight is waited for, and written down."""
        settling = asyncio.create_task(self._settle_forever())
        try:
            while not stop.is_set():
                await self._turn()
        finally:
            if self._sending:
                await asyncio.wait(self._sending, timeout=_DRAIN)
            settling.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await settling
            await self._settle()

    async def drain(self) -> int:
        """Sends all that is due now and writes it down; how many."""
        sent = 0
        while claimed := await self.claim():
            sent += claimed
            await asyncio.wait(self._sending)
            await self._settle()
        return sent

    async def _turn(self) -> None:
        self._settled.clear()
        claimed = 0
        try:
            # In batches: a claim of one costs as much as one of fifty.
            if self._slots - len(self._sending) >= self._batch_least:
                claimed = await self.claim()
        except LOST as error:
            logs.note("send webhooks: database lost", error=logs.where(error))
        except Exception as error:
            logs.failed("send webhooks failed", error)
        if not claimed:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), _REST)

    async def claim(self) -> int:
        """Starts to send what is due, as far as there are slots; how many."""
        tenants = await self._doors.tenants_with_due_deliveries()
        random.shuffle(tenants)
        claimed = 0
        for place, tenant_id in enumerate(tenants):
            free = self._slots - len(self._sending)
            if free <= 0:
                break
            share = -(-free // (len(tenants) - place))
            claimed += await self._claim_of(tenant_id, share)
        return claimed

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
            outcome = await self._sender.send(claim, self._secrets(claim))
            self._verdicts.append(self._judge(claim, outcome))
            self._verdict_came.set()
        except Exception as error:
            logs.failed("send webhooks failed", error)
        finally:
            self._again -= claim.cycle_attempts > 0

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

    async def _settle_forever(self) -> None:
        while True:
            await self._verdict_came.wait()
            await asyncio.sleep(_GATHER)
            self._verdict_came.clear()
            await self._settle()

    async def _settle(self) -> None:
        """Writes down all verdicts there are. Those that cannot be written are sent again after the lease."""
        while self._verdicts:
            batch, self._verdicts = self._verdicts[:_SETTLE_MOST], self._verdicts[_SETTLE_MOST:]
            by_tenant: dict[UUID, list[Verdict]] = {}
            for each in batch:
                by_tenant.setdefault(each.claim.tenant_id, []).append(each)
            for tenant_id, verdicts in by_tenant.items():
                try:
                    async with self._database.transaction(tenant_id) as tx:
                        await outcomes.settle(tx, verdicts)
                except LOST as error:
                    logs.note("settle webhooks: database lost", error=logs.where(error))
                except Exception as error:
                    logs.failed("settle webhooks failed", error)
        self._settled.set()
