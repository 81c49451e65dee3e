"""What the worker does for webhooks, beside sending."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from trilha.core.database import Tx
from trilha.core.jobs import Job, TenantJob
from trilha.webhooks import replays, retention, rules
from trilha.webhooks.delivery import outcomes, queue

_RELAY_MOST = 1_000
_REPLAY_MOST = 500
_PRUNE_MOST = 5_000


async def relay(tx: Tx) -> int:
    """Events become deliveries."""
    events = await queue.take_events(tx, _RELAY_MOST)
    if events:
        await queue.enqueue(tx, events)
    return len(events)


async def replay(tx: Tx) -> int:
    """Enqueues the next batch of the oldest replay."""
    asked = await replays.take(tx)
    if asked is None:
        return 0
    events = [] if asked["deleted_at"] else await replays.enqueue(tx, asked, _REPLAY_MOST)
    if events:
        last = events[-1]
        await replays.move(tx, asked["id"], last["created_at"], last["id"])
    if len(events) < _REPLAY_MOST:
        await replays.end(tx, asked["id"])
    return 1


async def dead_letter_held(tx: Tx) -> int:
    """Gives up what inactive endpoints have kept waiting for too long."""
    given_up = await retention.dead_letter_held(tx, tx.now - rules.HELD, _RELAY_MOST)
    await outcomes.announce_dead(tx, given_up)
    return len(given_up)


async def prune(tx: Tx, *, deliveries: timedelta, events: timedelta) -> int:
    """Drops deliveries and events past these ages, and deleted endpoints whose history is gone."""
    done = await retention.prune_deliveries(tx, tx.now - deliveries, _PRUNE_MOST)
    done += await retention.prune_endpoints(tx)
    return done + await retention.prune_events(tx, tx.now - events, _PRUNE_MOST)


RELAY = TenantJob(
    name="relay events",
    due="SELECT DISTINCT tenant_id FROM events WHERE NOT relayed LIMIT 1000",
    batch=relay,
    rest=0.05,
    logged=False,  # many times a second; what it does is seen in the history
)
REPLAY = TenantJob(
    name="replay events",
    due="SELECT DISTINCT tenant_id FROM webhook_replays LIMIT 1000",
    batch=replay,
    rest=1,
)
DEAD_LETTER_HELD = TenantJob(
    name="dead-letter held webhooks",
    due="""
        SELECT DISTINCT e.tenant_id FROM webhook_endpoints e
        WHERE NOT e.active AND EXISTS (
            SELECT FROM webhook_deliveries d
            WHERE d.tenant_id = e.tenant_id AND d.endpoint_id = e.id AND d.status = 'PENDING'
              AND NOT d.forced AND d.next_attempt_at < :held_since)
        LIMIT 1000
        """,
    ages={"held_since": rules.HELD},
    batch=dead_letter_held,
    rest=60,
)


def prune_job(*, deliveries: timedelta, events: timedelta) -> TenantJob:
    return TenantJob(
        name="prune webhooks",
        due="""
            SELECT t.id AS tenant_id FROM tenants t
            WHERE EXISTS (SELECT FROM events v
                          WHERE v.tenant_id = t.id AND v.created_at < :events AND v.relayed)
               OR EXISTS (SELECT FROM webhook_endpoints e
                          WHERE e.tenant_id = t.id
                            AND (e.deleted_at IS NOT NULL
                                 OR EXISTS (SELECT FROM webhook_deliveries d
                                            WHERE d.tenant_id = t.id AND d.endpoint_id = e.id
                                              AND d.created_at < :deliveries AND d.status <> 'PENDING')))
            LIMIT 1000
            """,
        ages={"deliveries": deliveries, "events": events},
        batch=partial(prune, deliveries=deliveries, events=events),
        rest=60,
    )


def jobs(*, deliveries: timedelta, events: timedelta) -> Sequence[Job]:
    """`deliveries` and `events` are the ages up to which each are kept."""
    return (RELAY, REPLAY, DEAD_LETTER_HELD, prune_job(deliveries=deliveries, events=events))
