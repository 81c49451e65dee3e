"""What follows from attempts: the history, the endpoint's count of failures, `webhook.failed`."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.events.catalogue import WebhookFailed
from trilha.events.outbox import emit
from trilha.events.schema import event_name
from trilha.webhooks.delivery import queue
from trilha.webhooks.delivery.queue import Settled, Verdict


async def settle(tx: Tx, verdicts: Sequence[Verdict]) -> None:
    """Writes down attempts, in the order in which they ended."""
    settled = {each.id: each for each in await queue.settle(tx, verdicts)}
    counted = [verdict for verdict in verdicts if verdict.claim.id in settled]
    if counted:
        await queue.count_failures(tx, _tails(counted))
    statuses = {verdict.claim.id: verdict.attempt.http_status for verdict in counted}
    await announce_dead(tx, list(settled.values()), statuses)


async def announce_dead(
    tx: Tx, settled: Sequence[Settled], statuses: dict[UUID, int | None] | None = None
) -> None:
    """One `webhook.failed` for each that was given up. About that event's own deliveries there is none."""
    await emit(
        tx,
        *(
            WebhookFailed(
                endpoint_id=each.endpoint_id,
                delivery_id=each.id,
                event_id=event_name(each.event_id),
                event_type=each.event_type,
                attempts=each.attempts,
                http_status=(statuses or {}).get(each.id),
            )
            for each in settled
            if each.status == "DEAD_LETTER" and each.event_type != "webhook.failed"
        ),
    )


def _tails(verdicts: Sequence[Verdict]) -> list[tuple[UUID, bool, int]]:
    """For each endpoint: whether anything was delivered, and the failures after that."""
    tails: dict[UUID, tuple[bool, int]] = {}
    for each in verdicts:
        reset, failures = tails.get(each.claim.endpoint_id, (False, 0))
        delivered = each.status == "DELIVERED"
        tails[each.claim.endpoint_id] = (True, 0) if delivered else (reset, failures + 1)
    # In one order everywhere: two that meet wait for each other instead of deadlocking.
    return [(id, *tails[id]) for id in sorted(tails, key=lambda endpoint: endpoint.int)]
