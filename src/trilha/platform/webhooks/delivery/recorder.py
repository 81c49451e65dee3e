"""Records the results of attempts: the history, the endpoints' failure counts, and `webhook.failed`."""

import asyncio
from collections.abc import Iterator, Sequence
from uuid import UUID

from trilha.core import logs, metrics
from trilha.core.database import CONNECTION_ERRORS, Database, Tx
from trilha.platform.events.catalogue import WebhookFailed
from trilha.platform.events.outbox import emit
from trilha.platform.events.schema import event_name
from trilha.platform.webhooks.delivery import queue, result_queries
from trilha.platform.webhooks.delivery.fair_queue import FairQueue
from trilha.platform.webhooks.delivery.result_queries import RecordedDelivery
from trilha.platform.webhooks.delivery.results import failure_counts, next_attempts
from trilha.platform.webhooks.schema import DeliveryResult, DeliveryStatus

# Seconds for which results are collected for a batch, the maximum size of a batch, and the number of batches
# written at a time.
_GATHER = 0.03
_BATCH = 500
_CONCURRENT_BATCHES = 2
_MESSAGES = {
    DeliveryStatus.DELIVERED: "webhook delivered",
    DeliveryStatus.PENDING: "webhook not delivered",
    DeliveryStatus.DEAD_LETTER: "webhook given up",
}
# How often a batch is retried while the database is unreachable, and the seconds between retries.
_TRIES, _PAUSE = 20, 0.5


async def record(
    tx: Tx, worker: UUID, results: Sequence[DeliveryResult], released: Sequence[UUID] = ()
) -> None:
    """Records results in the order in which the attempts ended. A result whose claim was lost is ignored.

    `released` are endpoints that this worker leaves to other workers.
    """
    recorded = await result_queries.record(tx, results)
    ids = {each.id for each in recorded}
    if counts := failure_counts([each for each in results if each.delivery.id in ids]):
        await result_queries.count_failures(tx, counts)
    retries = next_attempts([each for each in results if each.delivery.id in ids])
    if retries or released:
        await queue.set_next(tx, worker, retries, released)
    await emit_failed(tx, recorded)


async def emit_failed(tx: Tx, deliveries: Sequence[RecordedDelivery]) -> None:
    """Emits `webhook.failed` for each dead letter, except for deliveries of `webhook.failed` itself."""
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
    """Logs each attempt with its result and the time of the next attempt."""
    with logs.Lines() as lines:
        for each in results:
            delivered = each.status is DeliveryStatus.DELIVERED
            metrics.count_sent("webhook", "sent" if delivered else "failed")
            _tell(lines, each)


def _tell(lines: logs.Lines, result: DeliveryResult) -> None:
    delivery, attempt = result.delivery, result.attempt
    fields = {
        "tenant": delivery.tenant_id,
        "endpoint": delivery.endpoint_id,
        "delivery": delivery.id,
        "type": delivery.event_type,
        "number": attempt.number,
        "http_status": attempt.http_status,
        "duration_ms": attempt.duration_ms,
    }
    if delivery.request_id:
        fields["request_id"] = delivery.request_id
    if result.status is DeliveryStatus.DELIVERED:
        lines.note(_MESSAGES[result.status], **fields)
    else:
        following = {"error": attempt.error, "next_attempt_at": result.next_attempt_at}
        lines.trouble(_MESSAGES[result.status], **fields, **following)


class Recorder:
    """Records results in batches. Each batch is a transaction of one tenant."""

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
        """Runs until it is cancelled. Batches that have begun are finished."""
        while True:
            await self._added.wait()
            await asyncio.sleep(_GATHER)
            self._start()

    async def flush(self) -> None:
        """Waits until all results are recorded or given up."""
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
        """Writes a batch. Deliveries whose result cannot be written are sent again after their lease."""
        deliveries = [each.delivery for each in batch]
        async with self._slots:
            released = self._fair_queue.release(tenant_id, deliveries)
            for _ in range(_TRIES):
                try:
                    async with self._database.transaction(tenant_id) as tx:
                        await record(tx, self._worker, batch, released)
                    tell(batch)
                    break
                except CONNECTION_ERRORS as error:
                    logs.note("record webhooks: database lost", error=logs.where(error))
                    await asyncio.sleep(_PAUSE)
                except Exception as error:
                    logs.log_failure("record webhooks failed", error)
                    break
        self._fair_queue.settle_recorded(tenant_id, deliveries)
