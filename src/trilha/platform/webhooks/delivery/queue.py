"""SQL of the queue: which endpoints have due deliveries, since when, and which worker holds them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, Search, Tx, structs_of


class DueEndpoint(Struct, frozen=True):
    """An endpoint of an active tenant with due deliveries that no other worker holds."""

    tenant_id: UUID
    endpoint_id: UUID


class Due(Struct, frozen=True):
    """The endpoints to claim from, longest waiting first, and the tenants to stop serving."""

    endpoints: list[DueEndpoint]
    suspended: set[UUID]


async def find_due(
    database: Database, worker: UUID, full: Collection[UUID], serving: Collection[UUID], limit: int = 1000
) -> Due:
    """Finds due endpoints, except those of tenants that are `full`, and the suspended tenants among
    `serving`.
    """
    rows = await database.search(FIND_DUE, worker=worker, full=list(full), limit=limit + len(serving))
    async with database.unscoped() as unscoped:
        suspended = await unscoped.rows(
            "SELECT id FROM tenants WHERE id = ANY(:tenants::uuid[]) AND status <> 'ACTIVE'",
            tenants=list(serving),
        )
    return Due(structs_of(DueEndpoint, rows), {row["id"] for row in suspended})


_FIND_DUE = """
    SELECT q.tenant_id, q.endpoint_id FROM webhook_queues q
    WHERE q.due_at <= :now AND (q.held_until IS NULL OR q.held_until <= :now OR q.holder = :worker)
      AND q.tenant_id <> ALL(:full::uuid[]) {}
      -- No join: a planner that knows nothing would read both tables before it sorts.
      AND (SELECT t.status FROM tenants t WHERE t.id = q.tenant_id) = 'ACTIVE'
    ORDER BY q.due_at LIMIT :limit
"""
FIND_DUE = Search(_FIND_DUE.format(""), _FIND_DUE.format("AND q.tenant_id = ANY(:tenants::uuid[])"))


async def set_due(tx: Tx, endpoint_ids: Sequence[UUID]) -> None:
    """Marks endpoints as having deliveries due now. Call it in the transaction that makes a delivery due.

    The rows are locked even if they are already marked, so that a claim that cannot see the delivery yet
    runs before this transaction and not in parallel.
    """
    await tx.execute(
        f"WITH {_LOCKED_QUEUES} UPDATE webhook_queues AS q SET due_at = LEAST(q.due_at, :now) {_OF_LOCKED}",  # noqa: S608
        endpoints=endpoint_ids,
    )


async def set_relayed(tx: Tx, endpoint_ids: Sequence[UUID]) -> None:
    """Like `set_due`, for first attempts of new events, which are due after earlier deliveries.

    If the clock was set back, deliveries enqueued before that would otherwise wait until it reaches their
    time.
    """
    rows = await tx.rows(
        """
        WITH locked AS (SELECT endpoint_id, relayed_at FROM webhook_queues
                        WHERE tenant_id = :tenant AND endpoint_id = ANY(:endpoints::uuid[])
                        ORDER BY endpoint_id FOR NO KEY UPDATE)
        UPDATE webhook_queues AS q SET due_at = LEAST(q.due_at, :now), relayed_at = :now
        FROM locked WHERE q.tenant_id = :tenant AND q.endpoint_id = locked.endpoint_id
        RETURNING q.endpoint_id, locked.relayed_at > q.relayed_at AS was_ahead
        """,
        endpoints=endpoint_ids,
    )
    if ahead := [row["endpoint_id"] for row in rows if row["was_ahead"]]:
        await tx.execute(
            """
            UPDATE webhook_deliveries SET next_attempt_at = :now
            WHERE tenant_id = :tenant AND endpoint_id = ANY(:endpoints::uuid[]) AND status = 'PENDING'
              AND NOT forced AND cycle_attempts = 0 AND next_attempt_at > :now
            """,
            endpoints=ahead,
        )


# Locks rows in one order, so that two transactions wait for each other instead of deadlocking.
_LOCKED_QUEUES = """
    locked AS (SELECT endpoint_id FROM webhook_queues
               WHERE tenant_id = :tenant AND endpoint_id = ANY(:endpoints::uuid[])
               ORDER BY endpoint_id FOR NO KEY UPDATE)
"""
_OF_LOCKED = "FROM locked WHERE q.tenant_id = :tenant AND q.endpoint_id = locked.endpoint_id"


_HELD_QUEUES = "SELECT tenant_id, endpoint_id FROM webhook_queues WHERE holder = :worker"
_FIND_HELD = Search(_HELD_QUEUES, f"{_HELD_QUEUES} AND tenant_id = ANY(:tenants::uuid[])")


async def find_held(database: Database, worker: UUID) -> dict[UUID, list[UUID]]:
    """Returns the endpoints that this worker holds, by tenant."""
    rows = await database.search(_FIND_HELD, worker=worker)
    held: dict[UUID, list[UUID]] = {}
    for row in rows:
        held.setdefault(row["tenant_id"], []).append(row["endpoint_id"])
    return held


async def give_back(tx: Tx, worker: UUID, ids: Sequence[UUID], endpoint_ids: Sequence[UUID]) -> None:
    """Releases deliveries that the worker will not send, and endpoints that it leaves to other workers."""
    await tx.execute(
        """
        UPDATE webhook_deliveries SET claim_id = NULL, claimed_until = NULL
        WHERE tenant_id = :tenant AND id = ANY(:ids::uuid[]) AND claim_id = :worker
        """,
        worker=worker,
        ids=ids,
    )
    await tx.execute(
        f"""
        WITH {_LOCKED_QUEUES}
        UPDATE webhook_queues AS q SET due_at = LEAST(q.due_at, :now), holder = NULL, held_until = NULL
        {_OF_LOCKED} AND q.holder = :worker
        """,  # noqa: S608
        worker=worker,
        endpoints=endpoint_ids,
    )


async def set_next(tx: Tx, worker: UUID, retries: Mapping[UUID, datetime], released: Sequence[UUID]) -> None:
    """Records when endpoints have their next retry due, and which of them the worker releases."""
    await tx.execute(
        f"""
        WITH {_LOCKED_QUEUES}
        UPDATE webhook_queues AS q
        SET due_at = LEAST(q.due_at, (SELECT min(retry.at)
                                      FROM unnest(:retried::uuid[], :ats::timestamptz[]) AS retry (id, at)
                                      WHERE retry.id = q.endpoint_id)),
            holder = CASE WHEN q.holder <> :worker OR q.endpoint_id <> ALL(:released::uuid[])
                          THEN q.holder END,
            held_until = CASE WHEN q.holder <> :worker OR q.endpoint_id <> ALL(:released::uuid[])
                              THEN q.held_until END
        {_OF_LOCKED}
        """,  # noqa: S608
        worker=worker,
        endpoints=list({*retries, *released}),
        retried=list(retries),
        ats=list(retries.values()),
        released=released,
    )
