"""Writes results down: the history, the endpoints' counts of failures, `webhook.failed`."""

import asyncio
from collections.abc import Iterator, Sequence
from uuid import UUID

from trilha.core import logs
from trilha.core.database import LOST, Database, Tx
from trilha.events.catalogue import WebhookFailed
from trilha.events.outbox import emit
from trilha.events.schema import event_name
from trilha.webhooks.delivery import outcomes, queue
from trilha.webhooks.delivery.fair_queue import FairQueue
from trilha.webhooks.delivery.outcomes import RecordedDelivery
from trilha.webhooks.delivery.results import failure_counts, next_attempts
from trilha.webhooks.schema import DeliveryResult, DeliveryStatus

# Seconds for which results are gathered into a batch, the largest batch, and batches written at a time.
_GATHER = 0.03
_BATCH = 500
_CONCURRENT_BATCHES = 2
_MESSAGES = {
    DeliveryStatus.DELIVERED: "webhook delivered",
    DeliveryStatus.PENDING: "webhook not delivered",
    DeliveryStatus.DEAD_LETTER: "webhook given up",
}
# How often a batch is tried where the database went away, and the seconds between two tries.
_TRIES, _PAUSE = 20, 0.5


async def record(
    tx: Tx, worker: UUID, results: Sequence[DeliveryResult], released: Sequence[UUID] = ()
) -> None:
    """Results in the order in which the attempts ended. Those whose claim was lost change nothing.

    `released` are endpoints that the worker leaves to others.
    """
    recorded = await outcomes.record(tx, results)
    ids = {each.id for each in recorded}
    if counts := failure_counts([each for each in results if each.delivery.id in ids]):
        await outcomes.count_failures(tx, counts)
    retries = next_attempts([each for each in results if each.delivery.id in ids])
    if retries or released:
        await queue.set_next(tx, worker, retries, released)
    await emit_failed(tx, recorded)


async def emit_failed(tx: Tx, deliveries: Sequence[RecordedDelivery]) -> None:
    """A `webhook.failed` for each dead letter, but for deliveries of `webhook.failed` itself."""
    await emit(
        tx,
        *(
            WebhookFailed(
                endpoint_id=each.endpoint_id,
                delivery_id=each.id,
                event_id=event_name(each.event_id),
                event_type=each.event_type,
                attempts=each.attempts,
                http_status=each.http_status,
            )
            for each in deliveries
            if each.status == DeliveryStatus.DEAD_LETTER and each.event_type != WebhookFailed.type
        ),
    )


def tell(results: Sequence[DeliveryResult]) -> None:
    """A line for each attempt: what came of it, and when the next one is."""
    with logs.Lines() as lines:
        for each in results:
            _tell(lines, each)


def _tell(lines: logs.Lines, result: DeliveryResult) -> None:
    delivery, attempt = result.delivery, result.attempt
    said = {
        "tenant": delivery.tenant_id,
        "endpoint": delivery.endpoint_id,
        "delivery": delivery.id,
        "type": delivery.event_type,
        "number": attempt.number,
        "http_status": attempt.http_status,
        "duration_ms": attempt.duration_ms,
    }
    if result.status is DeliveryStatus.DELIVERED:
        lines.note(_MESSAGES[result.status], **said)
    else:
        following = {"error": attempt.error, "next_attempt_at": result.next_attempt_at}
        lines.trouble(_MESSAGES[result.status], **said, **following)


class Recorder:
    """Records in batches, each a transaction of one tenant."""

    def __init__(self, database: Database, worker: UUID, fair_queue: FairQueue) -> None:
        self._database = database
        self._worker = worker
        self._fair_queue = fair_queue
        self._results: list[DeliveryResult] = []
        self._added = asyncio.Event()
        self._slots = asyncio.Semaphore(_CONCURRENT_BATCHES)
        self._writing: set[asyncio.Task[None]] = set()

    def add(self, result: DeliveryResult) -> None:
        self._results.append(result)
        self._added.set()

    async def run(self) -> None:
        """Until it is cancelled; batches that were begun go on."""
        while True:
            await self._added.wait()
            await asyncio.sleep(_GATHER)
            self._start()

    async def flush(self) -> None:
        """Returns when all that was added is recorded, or given up."""
        self._start()
        if self._writing:
            await asyncio.wait(self._writing)

    def _start(self) -> None:
        self._added.clear()
        for tenant_id, batch in self._batches():
            task = asyncio.create_task(self._write(tenant_id, batch))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    def _batches(self) -> Iterator[tuple[UUID, list[DeliveryResult]]]:
        results, self._results = self._results, []
        by_tenant: dict[UUID, list[DeliveryResult]] = {}
        for each in results:
            by_tenant.setdefault(each.delivery.tenant_id, []).append(each)
        for tenant_id, own in by_tenant.items():
            for start in range(0, len(own), _BATCH):
                yield tenant_id, own[start : start + _BATCH]

    async def _write(self, tenant_id: UUID, batch: list[DeliveryResult]) -> None:
        """What cannot be written is sent again when its lease is over."""
        deliveries = [each.delivery for each in batch]
        async with self._slots:
            released = self._fair_queue.release(tenant_id, deliveries)
            for _ in range(_TRIES):
                try:
                    async with self._database.transaction(tenant_id) as tx:
                        await record(tx, self._worker, batch, released)
                    tell(batch)
                    break
                except LOST as error:
                    logs.note("record webhooks: database lost", error=logs.where(error))
                    await asyncio.sleep(_PAUSE)
                except Exception as error:
                    logs.failed("record webhooks failed", error)
                    break
        self._fair_queue.recorded(tenant_id, deliveries)
