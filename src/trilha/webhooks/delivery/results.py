"""What follows from an attempt: the delivery's next state, the endpoint's count of failures."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from trilha.webhooks import rules
from trilha.webhooks.delivery.outcomes import FailureCount
from trilha.webhooks.schema import Attempt, ClaimedDelivery, DeliveryResult, DeliveryStatus, SendResult


def result_of(delivery: ClaimedDelivery, sent: SendResult, now: datetime, jitter: float) -> DeliveryResult:
    """Delivered, to be tried again, or a dead letter. `jitter` is random in [0, 1)."""
    delay = None
    if not sent.is_success:
        delay = rules.delay_after(delivery.cycle_attempts + 1, jitter, sent.retry_after)
    if sent.is_success:
        status = DeliveryStatus.DELIVERED
    else:
        status = DeliveryStatus.DEAD_LETTER if delay is None else DeliveryStatus.PENDING
    return DeliveryResult(
        delivery=delivery,
        attempt=Attempt(
            number=delivery.attempts + 1,
            at=sent.at,
            http_status=sent.http_status,
            error=sent.error,
            duration_ms=sent.duration_ms,
            response_body=sent.response_body,
        ),
        status=status,
        next_attempt_at=None if delay is None else now + timedelta(seconds=delay),
    )


def failure_counts(results: Sequence[DeliveryResult]) -> list[FailureCount]:
    """One for each endpoint, from results in the order in which the attempts ended."""
    counts: dict[UUID, FailureCount] = {}
    for each in results:
        id = each.delivery.endpoint_id
        before = counts.get(id, FailureCount(id, False, 0))
        if each.status is DeliveryStatus.DELIVERED:
            counts[id] = FailureCount(id, True, 0)
        else:
            counts[id] = FailureCount(id, before.succeeded, before.failures + 1)
    # Rows are locked in the same order by every transaction: two that meet wait instead of deadlocking.
    return sorted(counts.values(), key=lambda count: count.endpoint_id.int)


def next_attempts(results: Sequence[DeliveryResult]) -> dict[UUID, datetime]:
    """The first moment at which each endpoint has another attempt due, of those that have one."""
    found: dict[UUID, datetime] = {}
    for each in results:
        if at := each.next_attempt_at:
            id = each.delivery.endpoint_id
            found[id] = min(at, found.get(id, at))
    return found
