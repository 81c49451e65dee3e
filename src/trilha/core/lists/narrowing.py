"""The few rows among which alone a list has to look."""

from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.lists.listing import Asked, List, Walk

MOST_IDS = 500
MOST_ROWS = 3000


async def narrow(tx: Tx, listing: List[Any], asked: Asked) -> tuple[list[UUID] | None, Asked]:
    """The ids of all rows that meet one of the conditions, and what else is asked of these.

    None, and all that is asked, where each condition leaves many rows.
    """
    for number, each in enumerate(asked.conditions):
        if each.one:
            ids: list[UUID] | None = [asked.params[each.one]]
        elif each.ids:
            ids = await _find_at_most(tx, MOST_IDS, each.ids, asked.params)
        else:
            continue
        if ids and each.of != listing.id:
            ids = await _find_at_most(
                tx, MOST_ROWS, select_among(listing, asked, each.of), asked.params | {"among": ids}
            )
        if ids is not None:
            others = [*asked.conditions[:number], *asked.conditions[number + 1 :]]
            return ids, structs.replace(asked, conditions=others)
    return None, asked


def select_among(listing: List[Any], asked: Asked, column: str, what: str = "") -> str:
    """Rows whose `column` is one of `:among`."""
    always = " AND ".join(["true", *(each.where for each in listing.always)])
    return f"""
        SELECT {what or f"row.{listing.id}"} FROM {listing.table} AS row
        WHERE row.tenant_id = :tenant AND row.{column} = ANY(:among) AND {always}"""  # noqa: S608


def select_few(listing: List[Any], asked: Asked, walk: Walk) -> str:
    """All of the few rows, with the keys of the walk, as `walking.select_examined` gives those of many."""
    keys = [f"{each} AS key_{n}" for n, each in enumerate(walk.sorted_by or map("row.{}".format, walk.keys))]
    rows = f"{select_among(listing, asked, listing.id, 'row.*')} LIMIT {MOST_ROWS}"
    return f"""
        SELECT row.*, row.{listing.id} AS row_id, {", ".join(keys)}, false AS is_end FROM ({rows}) AS row"""  # noqa: S608


async def _find_at_most(tx: Tx, most: int, select: str, params: dict[str, Any]) -> list[UUID] | None:
    rows = await tx.rows(f"{select} LIMIT {most + 1}", **params)
    ids = {row[0] for row in rows}
    return None if len(rows) > most or None in ids else list(ids)


def select_among_first(select: str, name: str, where: str) -> str:
    """The ids that meet a condition on `name`, of the first MOST_ROWS that a select gives.

    One of them is NULL where it gives more, which says that there may be others.
    """
    return f"""
        SELECT CASE WHEN {name}.place <= {MOST_ROWS} THEN {name}.id END FROM (
            SELECT {name}.id, row_number() OVER () AS place FROM (
                {select} LIMIT {MOST_ROWS + 1}) AS {name}) AS {name}
        WHERE {name}.place > {MOST_ROWS} OR ({where})"""  # noqa: S608
