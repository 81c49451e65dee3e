"""The SQL of deliveries: reminders on their way through a channel."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.reminders.queries import IS_OPEN
from trilha.training.reminders.rules import KINDS, TRAINING_SWITCHES, Channel, Kind, switch_of
from trilha.training.reminders.schema import DueDelivery


async def insert_deliveries(
    tx: Tx, deliveries: Sequence[tuple[UUID, UUID, Channel, UUID | None]], ready_at: datetime
) -> None:
    """Inserts deliveries by reminder, person, channel and address."""
    await tx.execute(
        """
        INSERT INTO reminder_deliveries (tenant_id, reminder_id, user_id, channel, address_id,
                                         next_attempt_at)
        SELECT :tenant, new.reminder_id, new.user_id, new.channel, new.address_id,
               CAST(:ready_at AS timestamptz)
        FROM unnest(:reminders::uuid[], :users::uuid[], :channels::text[], :addresses::uuid[])
             AS new (reminder_id, user_id, channel, address_id)
        ON CONFLICT DO NOTHING
        """,
        reminders=[reminder_id for reminder_id, _, _, _ in deliveries],
        users=[user_id for _, user_id, _, _ in deliveries],
        channels=[channel for _, _, channel, _ in deliveries],
        addresses=[address_id for _, _, _, address_id in deliveries],
        ready_at=ready_at,
    )


_DELIVERY = f"""
    SELECT due.id, due.reminder_id, due.user_id, due.channel, due.address_id, due.attempts,
           u.status = 'ACTIVE' AND (r.kind <> ALL(:training::text[]) OR {IS_OPEN})
           AND (r.kind <> 'enrollment_requested' OR q.status = 'WAITING') AS is_wanted
    FROM due
    JOIN reminders r ON r.tenant_id = :tenant AND r.id = due.reminder_id
    LEFT JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = r.enrollment_id
    LEFT JOIN enrollment_requests q ON q.tenant_id = :tenant AND q.id = r.request_id
    JOIN users u ON u.tenant_id = :tenant AND u.id = due.user_id
"""  # noqa: S608
_TRAINING = [kind for kind in KINDS if switch_of(kind) in TRAINING_SWITCHES]


async def take_mails(tx: Tx, people: int) -> list[DueDelivery]:
    """Returns all ready mail deliveries of the people who have waited longest, locked."""
    return await tx.list(
        DueDelivery,
        f"""
        WITH waiting AS (
            SELECT DISTINCT user_id FROM (
                SELECT user_id FROM reminder_deliveries
                WHERE tenant_id = :tenant AND status = 'PENDING' AND channel = 'mail'
                  AND next_attempt_at <= :now
                ORDER BY next_attempt_at LIMIT :people) AS oldest),
        due AS (
            SELECT id, reminder_id, user_id, channel, address_id, attempts FROM reminder_deliveries
            WHERE tenant_id = :tenant AND status = 'PENDING' AND channel = 'mail' AND next_attempt_at <= :now
              AND user_id IN (SELECT user_id FROM waiting)
            ORDER BY id FOR UPDATE)
        {_DELIVERY}
        """,  # noqa: S608
        people=people,
        training=_TRAINING,
    )


async def list_unwanted(tx: Tx, user_id: UUID, items: Sequence[tuple[UUID, Kind]]) -> set[tuple[UUID, Kind]]:
    """Returns those enrollments or requests, with their kinds, of which this person need not be told any
    more.
    """
    rows = await tx.rows(
        f"""
        SELECT item.id, item.kind FROM unnest(:ids::uuid[], :kinds::text[]) AS item (id, kind)
        JOIN users u ON u.tenant_id = :tenant AND u.id = :user_id
        LEFT JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = item.id
        LEFT JOIN enrollment_requests q ON q.tenant_id = :tenant AND q.id = item.id
        WHERE u.status <> 'ACTIVE' OR (item.kind = ANY(:training::text[]) AND NOT {IS_OPEN})
           OR (item.kind = 'enrollment_requested' AND q.status <> 'WAITING')
        """,  # noqa: S608
        ids=[id for id, _ in items],
        kinds=[kind for _, kind in items],
        user_id=user_id,
        training=_TRAINING,
    )
    return {(row["id"], row["kind"]) for row in rows}


async def claim_calls(tx: Tx, limit: int, lease: timedelta) -> list[DueDelivery]:
    """Claims ready deliveries of other channels until the lease ends."""
    return await tx.list(
        DueDelivery,
        f"""
        WITH ready AS (
            SELECT id FROM reminder_deliveries
            WHERE tenant_id = :tenant AND status = 'PENDING' AND channel <> 'mail' AND next_attempt_at <= :now
            ORDER BY next_attempt_at, id LIMIT :limit FOR UPDATE SKIP LOCKED),
        due AS (
            UPDATE reminder_deliveries AS d SET attempts = attempts + 1, next_attempt_at = :until
            FROM ready WHERE d.tenant_id = :tenant AND d.id = ready.id
            RETURNING d.id, d.reminder_id, d.user_id, d.channel, d.address_id, d.attempts)
        {_DELIVERY}
        """,  # noqa: S608
        limit=limit,
        until=tx.now + lease,
        training=_TRAINING,
    )


async def end_deliveries(tx: Tx, ids: Sequence[UUID], status: str, error: str | None = None) -> int:
    """Ends pending deliveries; returns how many."""
    return await tx.execute(
        """
        UPDATE reminder_deliveries SET status = :status, error = :error
        WHERE tenant_id = :tenant AND id = ANY(:ids) AND status = 'PENDING'
        """,
        ids=ids,
        status=status,
        error=error,
    )


async def lock_unsent_channel(tx: Tx, reminder_id: UUID, channel: Channel) -> bool:
    """Locks the reminder, and returns whether nothing was sent through this channel yet."""
    await tx.execute(
        "SELECT FROM reminders WHERE tenant_id = :tenant AND id = :id FOR UPDATE", id=reminder_id
    )
    unsent: bool = await tx.value(
        """
        SELECT NOT EXISTS (
            SELECT FROM reminder_deliveries WHERE tenant_id = :tenant AND reminder_id = :id
              AND channel = :channel AND status = 'SENT')
        """,
        id=reminder_id,
        channel=channel,
    )
    return unsent


async def postpone(tx: Tx, id: UUID, next_attempt_at: datetime, error: str) -> None:
    await tx.execute(
        """
        UPDATE reminder_deliveries SET next_attempt_at = :next_attempt_at, error = :error
        WHERE tenant_id = :tenant AND id = :id AND status = 'PENDING'
        """,
        id=id,
        next_attempt_at=next_attempt_at,
        error=error,
    )
