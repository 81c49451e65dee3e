"""SQL of bulk actions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.core.types import to_json
from trilha.platform.bulk_actions.schema import BulkRun, ChangedItem, Item, NewRun, ReasonCount

_SELECT = f"SELECT {columns_of(BulkRun)} FROM bulk_actions WHERE tenant_id = :tenant"  # noqa: S608


async def insert(tx: Tx, new: NewRun, target_ids: Sequence[UUID]) -> bool:
    """Inserts an action with its rows, by the actor of the transaction. Returns False if it exists already,
    because the form was sent twice.
    """
    inserted = await tx.execute(
        """
        INSERT INTO bulk_actions (tenant_id, id, action, options, address, user_id, actor_kind, actor, source,
                                  rows, created_at)
        VALUES (:tenant, :id, :action, :options, :address, :user_id, :actor_kind, :actor, :source, :rows,
                :now)
        ON CONFLICT (tenant_id, id) DO NOTHING
        """,
        id=new.id,
        action=new.action,
        options=new.options,
        address=new.address,
        user_id=new.user_id,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
        source=tx.actor.source,
        rows=len(target_ids),
    )
    if inserted:
        await tx.execute(
            """
            INSERT INTO bulk_action_items (tenant_id, bulk_action_id, number, target_id)
            SELECT :tenant, :id, target.number, target.id
            FROM unnest(:target_ids::uuid[]) WITH ORDINALITY AS target (id, number)
            RETURNING tenant_id
            """,
            id=new.id,
            target_ids=target_ids,
        )
    return bool(inserted)


async def hold(tx: Tx, action_id: UUID, until: datetime) -> None:
    """Lets the work of a new action wait until this time."""
    await tx.execute(
        """
        UPDATE bulk_actions SET state = 'HELD', held_until = :until
        WHERE tenant_id = :tenant AND id = :id AND state = 'RUNNING'
        """,
        id=action_id,
        until=until,
    )


async def end_holds(tx: Tx) -> int:
    """Lets the work of held actions begin whose time has come. Returns how many there were."""
    return await tx.execute(
        """
        UPDATE bulk_actions SET state = 'RUNNING'
        WHERE tenant_id = :tenant AND state = 'HELD' AND held_until <= :now
        """
    )


async def cancel_items(tx: Tx, action_id: UUID) -> int:
    """Marks the rows that wait as undone. Returns how many there were."""
    return await tx.execute(
        """
        UPDATE bulk_action_items SET state = 'UNDONE'
        WHERE tenant_id = :tenant AND bulk_action_id = :action_id AND state = 'WAITING'
        """,
        action_id=action_id,
    )


async def skip_items(tx: Tx, action_id: UUID, reasons: Mapping[UUID, str]) -> int:
    """Marks rows as skipped, with their reasons by target. Returns how many there were."""
    return await tx.execute(
        """
        UPDATE bulk_action_items AS item SET state = 'SKIPPED', reason = skipped.reason
        FROM unnest(:ids::uuid[], :reasons::text[]) AS skipped (id, reason)
        WHERE item.tenant_id = :tenant AND item.bulk_action_id = :action_id AND item.target_id = skipped.id
          AND item.state = 'WAITING'
        """,
        action_id=action_id,
        ids=list(reasons),
        reasons=list(reasons.values()),
    )


async def find_own(tx: Tx, action_id: UUID, user_id: UUID) -> BulkRun | None:
    """Returns an action of this person, or None."""
    return await tx.find(
        BulkRun, f"{_SELECT} AND id = :action_id AND user_id = :user_id", action_id=action_id, user_id=user_id
    )


async def find_next(tx: Tx) -> BulkRun | None:
    """Returns the oldest action with rows left to do."""
    return await tx.find(BulkRun, f"{_SELECT} AND is_due ORDER BY created_at, id LIMIT 1")


async def claim(tx: Tx, action_id: UUID) -> BulkRun | None:
    """Locks an action until the transaction ends. Returns None if another process has it."""
    return await tx.find(
        BulkRun, f"{_SELECT} AND id = :action_id FOR UPDATE SKIP LOCKED", action_id=action_id
    )


async def list_items(tx: Tx, action_id: UUID, state: str, limit: int) -> list[Item]:
    """Lists the first rows in this state, in the order of the list."""
    return await tx.list(
        Item,
        f"""
        SELECT {columns_of(Item)} FROM bulk_action_items
        WHERE tenant_id = :tenant AND bulk_action_id = :action_id AND state = :state
        ORDER BY number LIMIT :limit
        """,  # noqa: S608
        action_id=action_id,
        state=state,
        limit=limit,
    )


async def count_reasons(tx: Tx, action_id: UUID) -> list[ReasonCount]:
    """Counts skipped and kept rows by their reason, the most frequent first."""
    return await tx.list(
        ReasonCount,
        """
        SELECT state, reason, count(*) AS count FROM bulk_action_items
        WHERE tenant_id = :tenant AND bulk_action_id = :action_id AND reason IS NOT NULL
        GROUP BY state, reason ORDER BY count(*) DESC, reason
        """,
        action_id=action_id,
    )


async def change_items(tx: Tx, action_id: UUID, items: Sequence[ChangedItem]) -> None:
    """Stores new states of rows. `before` and `after` stay if they are not given."""
    await tx.execute(
        """
        UPDATE bulk_action_items AS item
        SET state = changed.state, reason = changed.reason,
            before = COALESCE(NULLIF(changed.before, 'null')::jsonb, item.before),
            after = COALESCE(NULLIF(changed.after, 'null')::jsonb, item.after)
        FROM unnest(:numbers::int[], :states::text[], :reasons::text[], :befores::text[], :afters::text[])
             AS changed (number, state, reason, before, after)
        WHERE item.tenant_id = :tenant AND item.bulk_action_id = :action_id AND item.number = changed.number
        """,
        action_id=action_id,
        numbers=[each.number for each in items],
        states=[each.state for each in items],
        reasons=[each.reason for each in items],
        befores=[to_json(each.before).decode() for each in items],
        afters=[to_json(each.after).decode() for each in items],
    )


async def store_progress(tx: Tx, run: BulkRun) -> None:
    """Stores the state and the counts of a locked action."""
    await tx.execute(
        """
        UPDATE bulk_actions
        SET state = :state, done = :done, skipped = :skipped, undone = :undone, kept = :kept,
            finished_at = :finished_at
        WHERE tenant_id = :tenant AND id = :id
        """,
        id=run.id,
        state=run.state,
        done=run.done,
        skipped=run.skipped,
        undone=run.undone,
        kept=run.kept,
        finished_at=run.finished_at,
    )


async def delete_before(tx: Tx, before: datetime, limit: int) -> int:
    """Deletes the oldest finished actions that began before a time, with their rows."""
    return await tx.execute(
        """
        DELETE FROM bulk_actions WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM bulk_actions
            WHERE tenant_id = :tenant AND created_at < :before AND NOT is_due
            ORDER BY created_at LIMIT :limit)
        """,
        before=before,
        limit=limit,
    )
