"""What the worker does for webhooks, beside sending."""

from datetime import timedelta

from trilha.core.db import Database
from trilha.doors import Doors
from trilha.webhooks import outcomes, queue, replays, retention, rules

_RELAY_MOST = 1_000
_REPLAY_MOST = 500
_FORGET_MOST = 5_000


async def relay(database: Database, doors: Doors) -> int:
    """Events become deliveries, a batch in every tenant that has some."""
    done = 0
    for tenant_id in await doors.tenants_with_new_events():
        async with database.transaction(tenant_id) as tx:
            events = await queue.take_events(tx, _RELAY_MOST)
            if events:
                await queue.enqueue(tx, events)
        done += len(events)
    return done


async def replay(database: Database, doors: Doors) -> int:
    """Enqueues the next batch of each tenant's oldest replay."""
    done = 0
    for tenant_id in await doors.tenants_with_replays():
        async with database.transaction(tenant_id) as tx:
            asked = await replays.take(tx)
            if asked is None:
                continue
            events = [] if asked["deleted_at"] else await replays.enqueue(tx, asked, _REPLAY_MOST)
            if events:
                last = events[-1]
                await replays.move(tx, asked["id"], last["created_at"], last["id"])
            if len(events) < _REPLAY_MOST:
                await replays.end(tx, asked["id"])
        done += 1
    return done


async def bury_held(database: Database, doors: Doors) -> int:
    """Gives up what inactive endpoints have kept waiting for too long."""
    done = 0
    before = database.clock() - rules.HELD
    for tenant_id in await doors.tenants_with_held_deliveries(before):
        async with database.transaction(tenant_id) as tx:
            buried = await retention.bury_held(tx, before, _RELAY_MOST)
            await outcomes.announce_dead(tx, buried)
        done += len(buried)
    return done


async def forget(database: Database, doors: Doors, *, history: timedelta, events: timedelta) -> int:
    """Drops deliveries and events past their time, a batch in every tenant that has some."""
    now, done = database.clock(), 0
    for tenant_id in await doors.tenants_with_old_history(now - history, now - events):
        async with database.transaction(tenant_id) as tx:
            done += await retention.forget_deliveries(tx, now - history, _FORGET_MOST)
            done += await retention.forget_endpoints(tx)
            done += await retention.forget_events(tx, now - events, _FORGET_MOST)
    return done
