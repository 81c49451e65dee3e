"""Finds a page from the few rows that meet a selective filter."""

from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.lists.listing import List, SqlQuery, Walk

MAX_IDS = 500
MAX_ROWS = 3000


async def narrow(tx: Tx, listing: List[Any], sql: SqlQuery) -> tuple[list[UUID] | None, SqlQuery]:
    """Returns the ids of all rows that meet one condition, and the query without that condition.

    Returns None and the unchanged query if every condition leaves many rows.
    """
    for number, condition in enumerate(sql.conditions):
        if condition.one:
            ids: list[UUID] | None = [sql.params[condition.one]]
        elif condition.ids:
            ids = await _find_ids(tx, MAX_IDS, condition.ids, sql.params)
        else:
            continue
        if ids and condition.of != listing.id:
            ids = await _find_ids(
                tx, MAX_ROWS, select_among(listing, sql, condition.of), sql.params | {"among": ids}
            )
        if ids is not None:
            others = [*sql.conditions[:number], *sql.conditions[number + 1 :]]
            return ids, structs.replace(sql, conditions=others)
    return None, sql


def select_among(listing: List[Any], sql: SqlQuery, column: str, columns: str = "") -> str:
    """Builds a select of the rows whose `column` is one of `:among`."""
    always = " AND ".join(["true", *(condition.where for condition in listing.always)])
    return f"""
        SELECT {columns or f"row.{listing.id}"} FROM {listing.table} AS row
        WHERE row.tenant_id = :tenant AND row.{column} = ANY(:among) AND {always}"""  # noqa: S608


def select_narrowed(listing: List[Any], sql: SqlQuery, walk: Walk) -> str:
    """Builds a select of the few rows with the keys of the walk, like `walking.select_examined` for many."""
    keys = [f"{key} AS key_{n}" for n, key in enumerate(walk.sorted_by or map("row.{}".format, walk.keys))]
    rows = f"{select_among(listing, sql, listing.id, 'row.*')} LIMIT {MAX_ROWS}"
    return f"""
        SELECT row.*, row.{listing.id} AS row_id, {", ".join(keys)}, false AS is_end FROM ({rows}) AS row"""  # noqa: S608


async def _find_ids(tx: Tx, limit: int, select: str, params: dict[str, Any]) -> list[UUID] | None:
    rows = await tx.rows(f"{select} LIMIT {limit + 1}", **params)
    ids = {row[0] for row in rows}
    return None if len(rows) > limit or None in ids else list(ids)


def select_among_first(select: str, name: str, where: str) -> str:
    """Builds a select of ids that meet a condition on `name`, among the first MAX_ROWS rows of a select.

    If the select has more rows, one of the ids is NULL: there may be further ids.
    """
    return f"""
        SELECT CASE WHEN {name}.place <= {MAX_ROWS} THEN {name}.id END FROM (
            SELECT {name}.id, row_number() OVER () AS place FROM (
                {select} LIMIT {MAX_ROWS + 1}) AS {name}) AS {name}
        WHERE {name}.place > {MAX_ROWS} OR ({where})"""  # noqa: S608
