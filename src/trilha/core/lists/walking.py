"""Reads an index in its order, at most MAX_EXAMINED rows at a time, however few of them meet the filters."""

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.lists.listing import Branch, List, SqlQuery, Walk

MAX_EXAMINED = 3000
MAX_BRANCHES = 500


async def select_examined(
    tx: Tx, listing: List[Any], sql: SqlQuery, walk: Walk, *, beyond: bool, at_least: int
) -> str:
    """Builds a select of the next rows in the order of the walk. Rows with `is_end` may be followed by unread
    ones.

    Each of several branches reads an equal share, but at least `at_least` rows. The result is complete up
    to the first row, in order, that ends a branch.
    """
    inside, branches = _choose_lead(sql, walk)
    count = await _count(tx, branches, sql) if branches else 1
    if count > MAX_BRANCHES:
        walk = structs.replace(walk, table="", id="", where="true")
        inside, branches = _list_bounds(sql, walk), ()
    if not branches:
        rows = _read(listing, walk, inside, beyond, MAX_EXAMINED)
    else:
        share = max(MAX_EXAMINED // max(count, 1), at_least)
        shares = [MAX_EXAMINED if branch.sparse else share for branch in branches]
        read = " UNION ALL ".join(
            f"""SELECT row.* FROM ({branch.values}) AS value
                CROSS JOIN LATERAL ({_read(listing, walk, [*inside, branch.where], beyond, limit)}) AS row"""  # noqa: S608
            for branch, limit in zip(branches, shares, strict=True)
        )
        limit = share * count + sum(shares)
        rows = f"SELECT row.* FROM ({read}) AS row ORDER BY {build_sort(walk)} LIMIT {limit}"  # noqa: S608
    return rows if not walk.table else _with_rows(listing, walk, rows)


def build_sort(walk: Walk) -> str:
    return ", ".join(f"row.{name} {walk.direction}" for name in [*list_key_names(walk), "row_id"])


def list_key_names(walk: Walk) -> list[str]:
    return [f"key_{number}" for number in range(len(walk.keys))]


def build_after_condition(walk: Walk, columns: Sequence[str]) -> str:
    """Builds the condition that a row comes after `:after_0`, `:after_1`, … and `:after_id`."""
    sign = "<" if walk.direction == "DESC" else ">"
    after = ", ".join([*(f":after_{number}" for number in range(len(walk.keys))), ":after_id"])
    return f"({', '.join(columns)}) {sign} ({after})"


def _choose_lead(sql: SqlQuery, walk: Walk) -> tuple[list[str], tuple[Branch, ...]]:
    """Chooses the conditions that the index begins with: the first filter that fits, with all bounds."""
    if walk.table:
        return [walk.where], walk.branches
    inside = _list_bounds(sql, walk)
    for condition in sql.conditions:
        if walk.keys[0] in condition.leads:
            return (inside, condition.branches) if condition.branches else ([*inside, condition.where], ())
    return inside, ()


def _list_bounds(sql: SqlQuery, walk: Walk) -> list[str]:
    if walk.table:
        return [walk.where]
    return ["true", *(condition.where for condition in sql.conditions if condition.bounds == walk.keys[0])]


def _read(listing: List[Any], walk: Walk, inside: Sequence[str], beyond: bool, limit: int) -> str:
    table, row_id = walk.table or listing.table, walk.id or listing.id
    keys = ", ".join(f"row.{key} AS key_{number}" for number, key in enumerate(walk.keys))
    columns = [f"row.{name}" for name in (*walk.keys, row_id)]
    where = " AND ".join([*inside, *([build_after_condition(walk, columns)] if beyond else [])])
    # The window has the order of its rows, so PostgreSQL stops reading once the page is full.
    return f"""
        SELECT row.*, row_number() OVER (ORDER BY {build_sort(walk)}) = {limit} AS is_end FROM (
            SELECT {"" if walk.table else "row.*, "}row.{row_id} AS row_id, {keys} FROM {table} AS row
            WHERE row.tenant_id = :tenant AND {where}
            ORDER BY {", ".join(f"{name} {walk.direction}" for name in columns)} LIMIT {limit}) AS row"""  # noqa: S608


def _with_rows(listing: List[Any], walk: Walk, places: str) -> str:
    """Joins the list's rows to ids that were read from another table."""
    keys = ", ".join(f"place.{name}" for name in [*list_key_names(walk), "row_id", "is_end"])
    return f"""
        SELECT own.*, {keys} FROM ({places}) AS place
        CROSS JOIN LATERAL (
            SELECT * FROM {listing.table} AS own
            WHERE own.tenant_id = :tenant AND own.{listing.id} = place.row_id LIMIT 1) AS own"""  # noqa: S608


async def _count(tx: Tx, branches: Sequence[Branch], sql: SqlQuery) -> int:
    parts = " UNION ALL ".join(f"(SELECT 1 FROM ({branch.values}) AS value)" for branch in branches)  # noqa: S608
    # The values are parameters and name no tenant, so the statement names it here.
    own_tenant = "CROSS JOIN (SELECT CAST(:tenant AS uuid)) AS own"
    limited = f"SELECT count(*) FROM ({parts} LIMIT {MAX_BRANCHES + 1}) AS value {own_tenant}"  # noqa: S608
    count: int = await tx.value(limited, **sql.params)
    return count
