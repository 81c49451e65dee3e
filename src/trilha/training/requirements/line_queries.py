"""The SQL of the people who wait to be settled."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.requirements import people_queries


async def lock_engine(tx: Tx) -> bool:
    """Locks the tenant's engine until the transaction ends. Returns False if another process has it."""
    return bool(
        await tx.value(
            "SELECT true FROM requirement_engines WHERE tenant_id = :tenant FOR UPDATE SKIP LOCKED"
        )
    )


async def take_checks(tx: Tx, limit: int) -> Sequence[UUID]:
    """Takes the people who have waited longest out of the line."""
    rows = await tx.rows(
        """
        DELETE FROM requirement_checks WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM requirement_checks WHERE tenant_id = :tenant
            ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)
        RETURNING user_id
        """,
        limit=limit,
    )
    return sorted({row["user_id"] for row in rows})


async def list_due(tx: Tx, limit: int) -> Sequence[UUID]:
    """Lists people of whom a state changes now because of the time."""
    rows = await tx.rows(
        """
        SELECT DISTINCT user_id FROM (
            SELECT user_id FROM requirement_people WHERE tenant_id = :tenant AND next_at <= :now
            ORDER BY next_at LIMIT :limit) AS due
        """,
        limit=limit,
    )
    return sorted(row["user_id"] for row in rows)


async def take_next_of_sweep(tx: Tx, limit: int) -> Sequence[UUID]:
    """Takes the next people of the oldest sweep, and ends it after the last. Sweeps that have not begun are
    the same as one.
    """
    sweep = await tx.rows(
        """
        SELECT id, last_user_id FROM requirement_sweeps WHERE tenant_id = :tenant
        ORDER BY last_user_id IS NULL, created_at, id LIMIT 1 FOR UPDATE
        """
    )
    if not sweep:
        return []
    sweep_id, last = sweep[0]["id"], sweep[0]["last_user_id"]
    if last is None:
        await tx.execute(
            """
            DELETE FROM requirement_sweeps
            WHERE tenant_id = :tenant AND last_user_id IS NULL AND id <> :sweep_id
            """,
            sweep_id=sweep_id,
        )
    user_ids = await people_queries.list_next_ids(tx, last, limit)
    if len(user_ids) < limit:
        sql = "DELETE FROM requirement_sweeps WHERE tenant_id = :tenant AND id = :sweep_id"
        await tx.execute(sql, sweep_id=sweep_id)
    else:
        await tx.execute(
            "UPDATE requirement_sweeps SET last_user_id = :last WHERE tenant_id = :tenant AND id = :sweep_id",
            sweep_id=sweep_id,
            last=user_ids[-1],
        )
    return user_ids


async def begin_sweep(tx: Tx, before: datetime) -> int:
    """Puts everybody in line if that was last done before this time. Returns 1 or 0."""
    begun = await tx.execute(
        "UPDATE requirement_engines SET swept_at = :now WHERE tenant_id = :tenant AND swept_at <= :before",
        before=before,
    )
    if begun:
        await tx.execute("INSERT INTO requirement_sweeps (tenant_id, created_at) VALUES (:tenant, :now)")
    return begun
