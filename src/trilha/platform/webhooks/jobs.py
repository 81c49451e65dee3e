"""The worker's jobs for webhooks, except sending."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from trilha.core.database import Tx
from trilha.core.jobs import Job, TenantJob, each_tenant_once, tenants_where
from trilha.platform.retention import queries as retention_settings
from trilha.platform.retention.archive import Archive
from trilha.platform.webhooks import replays, retention, rules
from trilha.platform.webhooks.delivery import recorder, result_queries
from trilha.platform.webhooks.delivery import relay as relaying

# Events relayed at a time, and roughly how many deliveries they may create. Other tenants wait meanwhile.
_RELAY_BATCH, _RELAY_DELIVERIES = 1_000, 5_000
_REPLAY_BATCH = 500
_PRUNE_BATCH = 5_000
_OLD_EVENT = retention_settings.build_cutoff("event_days", "events")
_OLD_DELIVERY = retention_settings.build_cutoff("delivery_days", "deliveries")


async def relay(tx: Tx) -> int:
    """Creates deliveries for new events."""
    if not await relaying.lock(tx):
        return 0
    receivers = await relaying.count_receivers(tx)
    batch = min(_RELAY_BATCH, max(1, _RELAY_DELIVERIES // max(1, receivers)))
    events = await relaying.take_new_events(tx, batch)
    if events:
        await relaying.enqueue(tx, events)
    return len(events)


async def replay(tx: Tx) -> int:
    """Enqueues the next batch of the oldest replay."""
    running = await replays.lock_oldest(tx)
    if running is None:
        return 0
    events = [] if running.endpoint_deleted else await replays.list_next_events(tx, running, _REPLAY_BATCH)
    if events:
        await replays.enqueue(tx, running.endpoint_id, events)
        await replays.advance(tx, running.id, events)
    if len(events) < _REPLAY_BATCH:
        await replays.finish(tx, running.id)
    return 1


async def dead_letter_held(tx: Tx) -> int:
    """Dead-letters deliveries that waited too long for an inactive endpoint."""
    deliveries = await result_queries.dead_letter_held(tx, tx.now - rules.LONGEST_HOLD, _RELAY_BATCH)
    await recorder.emit_failed(tx, deliveries)
    return len(deliveries)


async def prune(tx: Tx, *, deliveries: timedelta, events: timedelta, archive: Archive) -> int:
    """Deletes deliveries and events older than the tenant's periods, or than these, and deleted endpoints
    without history.
    """
    own = await retention_settings.get(tx)
    old_delivery = retention_settings.find_cutoff(tx, own.delivery_days or deliveries.days)
    old_event = retention_settings.find_cutoff(tx, own.event_days or events.days)
    assert old_delivery is not None
    assert old_event is not None
    rows = await retention.prune_deliveries(tx, old_delivery, _PRUNE_BATCH)
    done = await archive.keep(tx, retention.DELIVERIES, rows)
    done += await retention.prune_replays(tx, old_delivery, _PRUNE_BATCH)
    done += await retention.prune_endpoints(tx)
    rows = await retention.prune_events(tx, old_event, _PRUNE_BATCH)
    return done + await archive.keep(tx, retention.EVENTS, rows)


RELAY = TenantJob(
    name="relay events",
    due=each_tenant_once("events", "NOT relayed"),
    batch=relay,
    rest=0.05,
    is_logged=False,  # it runs many times a second, and the history shows its work
)
REPLAY = TenantJob(
    name="replay events",
    due=each_tenant_once("webhook_replays", "finished_at IS NULL"),
    batch=replay,
    rest=1,
)
DEAD_LETTER_HELD = TenantJob(
    name="dead-letter held webhooks",
    due=tenants_where(
        """EXISTS (SELECT FROM webhook_endpoints e
                   WHERE e.tenant_id = home.tenant_id AND NOT e.active AND (
                       SELECT d.next_attempt_at < :held_since FROM webhook_deliveries d
                       WHERE d.tenant_id = home.tenant_id AND d.endpoint_id = e.id AND d.status = 'PENDING'
                         AND NOT d.forced
                       ORDER BY d.next_attempt_at LIMIT 1))"""
    ),
    ages={"held_since": rules.LONGEST_HOLD},
    batch=dead_letter_held,
    rest=60,
)


def prune_job(*, deliveries: timedelta, events: timedelta, archive: Archive) -> TenantJob:
    return TenantJob(
        name="prune webhooks",
        due=tenants_where(
            f"""((SELECT v.relayed AND v.sequence < extract(epoch FROM {_OLD_EVENT}) * 1000000
                 FROM events v WHERE v.tenant_id = home.tenant_id ORDER BY v.sequence LIMIT 1)
             OR EXISTS (SELECT FROM webhook_replays r
                        WHERE r.tenant_id = home.tenant_id AND r.finished_at < {_OLD_DELIVERY})
             OR EXISTS (SELECT FROM webhook_endpoints e WHERE e.tenant_id = home.tenant_id AND (
                        e.deleted_at IS NOT NULL
                        OR (SELECT d.status <> 'PENDING' AND d.created_at < {_OLD_DELIVERY}
                            FROM webhook_deliveries d
                            WHERE d.tenant_id = home.tenant_id AND d.endpoint_id = e.id
                            ORDER BY d.created_at LIMIT 1))))"""  # noqa: S608
        ),
        ages={"deliveries": deliveries, "events": events},
        batch=partial(prune, deliveries=deliveries, events=events, archive=archive),
        rest=60,
    )


def jobs(*, deliveries: timedelta, events: timedelta, archive: Archive) -> Sequence[Job]:
    """Returns the jobs. `deliveries` and `events` are retention periods."""
    pruning = prune_job(deliveries=deliveries, events=events, archive=archive)
    return (RELAY, REPLAY, DEAD_LETTER_HELD, pruning)
