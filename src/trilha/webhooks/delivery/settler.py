"""Writing down what came of attempts: in batches, and some batches at a time."""

import asyncio
from collections.abc import Iterator
from uuid import UUID

from trilha.core import logs
from trilha.core.database import LOST, Database
from trilha.webhooks.delivery import outcomes
from trilha.webhooks.delivery.queue import Verdict

_GATHER = 0.01
_MOST = 500
_AT_A_TIME = 2
# How often, and after what pause, a database that went away is tried again.
_TRIES, _PAUSE = 20, 0.5


class Settler:
    """`settled` is set whenever something was written: more may be claimed then."""

    def __init__(self, database: Database, settled: asyncio.Event) -> None:
        self._database = database
        self._settled = settled
        self._verdicts: list[Verdict] = []
        self._came = asyncio.Event()
        self._places = asyncio.Semaphore(_AT_A_TIME)
        self._writing: set[asyncio.Task[None]] = set()

    def add(self, verdict: Verdict) -> None:
        self._verdicts.append(verdict)
        self._came.set()

    async def run(self) -> None:
        """Until it is cancelled; what it has begun to write goes on."""
        while True:
            await self._came.wait()
            await asyncio.sleep(_GATHER)
            self._start()

    async def flush(self) -> None:
        """Until all that was added is written down, or given up."""
        self._start()
        if self._writing:
            await asyncio.wait(self._writing)

    def _start(self) -> None:
        self._came.clear()
        for tenant_id, batch in self._batches():
            task = asyncio.create_task(self._write(tenant_id, batch))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    def _batches(self) -> Iterator[tuple[UUID, list[Verdict]]]:
        verdicts, self._verdicts = self._verdicts, []
        by_tenant: dict[UUID, list[Verdict]] = {}
        for each in verdicts:
            by_tenant.setdefault(each.claim.tenant_id, []).append(each)
        for tenant_id, own in by_tenant.items():
            for start in range(0, len(own), _MOST):
                yield tenant_id, own[start : start + _MOST]

    async def _write(self, tenant_id: UUID, batch: list[Verdict]) -> None:
        """What cannot be written is sent again when its lease is over."""
        async with self._places:
            for _ in range(_TRIES):
                try:
                    async with self._database.transaction(tenant_id) as tx:
                        await outcomes.settle(tx, batch)
                    break
                except LOST as error:
                    logs.note("settle webhooks: database lost", error=logs.where(error))
                    await asyncio.sleep(_PAUSE)
                except Exception as error:
                    logs.failed("settle webhooks failed", error)
                    break
        self._settled.set()
