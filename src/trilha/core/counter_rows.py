"""Counters as sums of rows that are never updated.

To count, insert a row: concurrent transactions never wait for each other. The worker merges rows: it
deletes a counter's new rows together with its merged row, inserts their sum, and skips rows locked by
other workers. Readers always see the same sum, because both become visible with one commit.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, each_tenant_once

_BATCH = 2000
_TYPES = {
    "course_id": "uuid",
    "month": "date",
    "score": "numeric",
    "progress": "numeric",
    "role": "text",
    "status": "text",
}


class CounterTable(Struct, frozen=True):
    """A table of counters: one counter for each tenant and each value of `keys`, with the sums of
    `columns`.
    """

    name: str
    keys: Sequence[str]
    columns: Sequence[str]


async def insert(
    tx: Tx,
    table: CounterTable,
    sums: Mapping[tuple[Any, ...], Mapping[str, Any]],
    *,
    merged: bool = False,
) -> None:
    """Adds to counters, by their keys in the order of `table.keys`. Zero sums are skipped."""
    added = {key: changes for key, changes in sums.items() if any(changes.values())}
    if not added:
        return
    columns = [name for name in table.columns if any(name in changes for changes in added.values())]
    names = (*table.keys, *columns)
    values = {name: [key[place] for key in added] for place, name in enumerate(table.keys)}
    values |= {name: [changes.get(name, 0) for changes in added.values()] for name in columns}
    await tx.execute(
        f"""
        INSERT INTO {table.name} (tenant_id, merged, {", ".join(names)})
        SELECT :tenant, :merged, added.*
        FROM unnest({", ".join(f":{name}::{_type(name)}[]" for name in names)}) AS added
        RETURNING tenant_id
        """,  # noqa: S608
        merged=merged,
        **values,
    )


async def merge(table: CounterTable, tx: Tx) -> int:
    """Merges one batch of new rows. Returns the number of rows if more may be left, else 0."""
    keys = ", ".join(table.keys)
    rows = await tx.rows(
        f"""
        WITH new AS (
            SELECT id, {keys} FROM {table.name}
            WHERE tenant_id = :tenant AND NOT merged LIMIT {_BATCH} FOR UPDATE SKIP LOCKED),
        earlier AS (
            SELECT id, {keys} FROM {table.name}
            WHERE tenant_id = :tenant AND merged AND ({keys}) IN (SELECT {keys} FROM new)
            FOR UPDATE SKIP LOCKED),
        removed AS (
            DELETE FROM {table.name} AS removed
            USING (SELECT * FROM new UNION ALL SELECT * FROM earlier) AS found
            WHERE removed.tenant_id = :tenant AND removed.id = found.id
              AND {" AND ".join(f"removed.{key} = found.{key}" for key in table.keys)}
            RETURNING removed.*)
        SELECT {keys}, {", ".join(f"sum({name})::{_type(name)} AS {name}" for name in table.columns)},
               count(*) FILTER (WHERE NOT merged) AS new_rows
        FROM removed GROUP BY {keys}
        """  # noqa: S608
    )
    sums = {
        tuple(row[key] for key in table.keys): {name: row[name] for name in table.columns} for row in rows
    }
    await insert(tx, table, sums, merged=True)
    new_rows: int = sum(row["new_rows"] for row in rows)
    return new_rows if new_rows == _BATCH else 0


def _type(column: str) -> str:
    return _TYPES.get(column, "bigint")


def job(table: CounterTable) -> TenantJob:
    """Returns a job that merges the rows of one table every two seconds, so that each counter has few of
    them.
    """
    return TenantJob(
        name=f"merge {table.name}",
        due=each_tenant_once(table.name, "NOT merged"),
        batch=partial(merge, table),
        rest=2,
        is_logged=False,
    )
