"""Derives from an attempt the delivery's next status and the endpoint's failure count."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from trilha.platform.webhooks.delivery import retry_schedule
from trilha.platform.webhooks.delivery.result_queries import FailureCount
from trilha.platform.webhooks.schema import (
    Attempt,
    ClaimedDelivery,
    DeliveryResult,
    DeliveryStatus,
    SendResult,
)


def result_of(delivery: ClaimedDelivery, sent: SendResult, now: datetime, jitter: float) -> DeliveryResult:
    """Returns the status after an attempt: delivered, retry or dead letter. `jitter` is random in [0, 1)."""
    delay = None
    if not sent.is_success:
        delay = retry_schedule.delay_after(delivery.cycle_attempts + 1, jitter, sent.retry_after)
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
    """Returns one failure count for each endpoint. The results must be in the order in which the attempts
    ended.
    """
    counts: dict[UUID, FailureCount] = {}
    for each in results:
        id = each.delivery.endpoint_id
        before = counts.get(id, FailureCount(id, False, 0))
        if each.status is DeliveryStatus.DELIVERED:
            counts[id] = FailureCount(id, True, 0)
        else:
            counts[id] = FailureCount(id, before.succeeded, before.failures + 1)
    # All transactions lock rows in the same order, so that they cannot deadlock.
    return sorted(counts.values(), key=lambda count: count.endpoint_id.int)


def next_attempts(results: Sequence[DeliveryResult]) -> dict[UUID, datetime]:
    """Returns the time of each endpoint's next attempt, if it has one."""
    moments: dict[UUID, datetime] = {}
    for each in results:
        if at := each.next_attempt_at:
            id = each.delivery.endpoint_id
            moments[id] = min(at, moments.get(id, at))
    return moments
