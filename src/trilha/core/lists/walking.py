"""Walking an index in its order: at most EXAMINED rows at a time, however few of them are looked for."""

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.lists.listing import Asked, Branch, List, Walk

EXAMINED = 3000
MOST_BRANCHES = 500


async def select_examined(
    tx: Tx, listing: List[Any], asked: Asked, walk: Walk, *, beyond: bool, at_least: int
) -> str:
    """The next rows in the order of the walk. Where `is_end`, there may be more that were not read.

    With several branches each gives its share, of `at_least` so many rows. The rows are complete up to the
    first in order that is the end of a branch.
    """
    inside, branches = _lead(asked, walk)
    count = await _count(tx, branches, asked) if branches else 1
    if count > MOST_BRANCHES:
        walk = structs.replace(walk, table="", id="", where="true")
        inside, branches = _bounds(asked, walk), ()
    if not branches:
        rows = _read(listing, walk, inside, beyond, EXAMINED)
    else:
        share = max(EXAMINED // max(count, 1), at_least)
        shares = [EXAMINED if each.sparse else share for each in branches]
        read = " UNION ALL ".join(
            f"""SELECT row.* FROM ({each.each}) AS each
                CROSS JOIN LATERAL ({_read(listing, walk, [*inside, each.where], beyond, most)}) AS row"""  # noqa: S608
            for each, most in zip(branches, shares, strict=True)
        )
        most = share * count + sum(shares)
        rows = f"SELECT row.* FROM ({read}) AS row ORDER BY {sort_of(walk)} LIMIT {most}"  # noqa: S608
    return rows if not walk.table else _with_rows(listing, walk, rows)


def sort_of(walk: Walk) -> str:
    return ", ".join(f"row.{name} {walk.direction}" for name in [*key_names(walk), "row_id"])


def key_names(walk: Walk) -> list[str]:
    return [f"key_{number}" for number in range(len(walk.keys))]


def is_beyond(walk: Walk, columns: Sequence[str]) -> str:
    """That a row comes after `:after_0`, `:after_1`, … and `:after_id`."""
    sign = "<" if walk.direction == "DESC" else ">"
    after = ", ".join([*(f":after_{number}" for number in range(len(walk.keys))), ":after_id"])
    return f"({', '.join(columns)}) {sign} ({after})"


def _lead(asked: Asked, walk: Walk) -> tuple[list[str], tuple[Branch, ...]]:
    """What the index begins with: of the conditions that one could begin with, the first."""
    if walk.table:
        return [walk.where], walk.branches
    inside = _bounds(asked, walk)
    for each in asked.conditions:
        if walk.keys[0] in each.leads:
            return (inside, each.branches) if each.branches else ([*inside, each.where], ())
    return inside, ()


def _bounds(asked: Asked, walk: Walk) -> list[str]:
    if walk.table:
        return [walk.where]
    return ["true", *(each.where for each in asked.conditions if each.bounds == walk.keys[0])]


def _read(listing: List[Any], walk: Walk, inside: Sequence[str], beyond: bool, most: int) -> str:
    table, row_id = walk.table or listing.table, walk.id or listing.id
    keys = ", ".join(f"row.{key} AS key_{number}" for number, key in enumerate(walk.keys))
    columns = [f"row.{name}" for name in (*walk.keys, row_id)]
    where = " AND ".join([*inside, *([is_beyond(walk, columns)] if beyond else [])])
    # The window names the order that its rows come in: PostgreSQL then ends the walk once a page is full.
    return f"""
        SELECT row.*, row_number() OVER (ORDER BY {sort_of(walk)}) = {most} AS is_end FROM (
            SELECT {"" if walk.table else "row.*, "}row.{row_id} AS row_id, {keys} FROM {table} AS row
            WHERE row.tenant_id = :tenant AND {where}
            ORDER BY {", ".join(f"{name} {walk.direction}" for name in columns)} LIMIT {most}) AS row"""  # noqa: S608


def _with_rows(listing: List[Any], walk: Walk, places: str) -> str:
    """The rows of the list whose ids were read from another table."""
    keys = ", ".join(f"place.{name}" for name in [*key_names(walk), "row_id", "is_end"])
    return f"""
        SELECT own.*, {keys} FROM ({places}) AS place
        CROSS JOIN LATERAL (
            SELECT * FROM {listing.table} AS own
            WHERE own.tenant_id = :tenant AND own.{listing.id} = place.row_id LIMIT 1) AS own"""  # noqa: S608


async def _count(tx: Tx, branches: Sequence[Branch], asked: Asked) -> int:
    parts = " UNION ALL ".join(f"(SELECT 1 FROM ({each.each}) AS each)" for each in branches)  # noqa: S608
    # Values that are parameters name no tenant.
    of_tenant = "CROSS JOIN (SELECT CAST(:tenant AS uuid)) AS own"
    limited = f"SELECT count(*) FROM ({parts} LIMIT {MOST_BRANCHES + 1}) AS found {of_tenant}"  # noqa: S608
    count: int = await tx.value(limited, **asked.params)
    return count
