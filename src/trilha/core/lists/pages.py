"""Pages of a list, how many rows it has, and the ids of them all."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, TypeVar
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Reading, Tx, structs_of
from trilha.core.errors import NotFound, invalid
from trilha.core.lists import narrowing, walking
from trilha.core.lists.listing import Asked, List, Walk, ask, filters_in_use
from trilha.core.web.pagination import Cursors, ListQuery, Page

T = TypeVar("T", bound=Struct)
MOST_COUNTED = 1000
_AT_ONCE = 1000
_PATIENCE = 0.15  # seconds


class Count(Struct, frozen=True):
    """How many rows a list has; where not `exact`, more than that. False where it has none."""

    total: int
    exact: bool = True

    def __bool__(self) -> bool:
        return self.total > 0


def capped(rows: int) -> Count:
    """The count of a statement that stops at MOST_COUNTED + 1 rows."""
    return Count(rows) if rows <= MOST_COUNTED else Count(MOST_COUNTED, exact=False)


class _Place(Struct, array_like=True):
    """Where a page ended: in which of the order's walks, and the keys and id of the last row examined."""

    walk: int
    keys: list[str | int]
    id: UUID


class _Id(Struct, frozen=True):
    id: UUID


class Prepared(Struct, frozen=True):
    """A query in SQL, and the ids of the few rows among which alone it looks; None where they may be many."""

    asked: Asked
    ids: list[UUID] | None


async def prepare(tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None) -> Prepared:
    """What the pages and the count of one query have in common."""
    ids, asked = await narrowing.narrow(tx, listing, await ask(tx, listing, query, reach))
    return Prepared(asked, ids)


async def fetch_page(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any = None, *, prepared: Prepared | None = None
) -> Page[T]:
    """One page. It may be short, or empty, where `has_more`: as many rows as are examined at a time were.

    Raises Invalid (invalid_cursor).
    """
    cursors = Cursors(tx, query, route=listing.name, reach=reach)
    place = cursors.open(_Place)
    prepared = prepared or await prepare(tx, listing, query, reach)
    asked, ids = prepared.asked, prepared.ids
    if place and (place.walk >= len(asked.walks) or len(place.keys) != len(asked.walks[place.walk].keys)):
        raise invalid("cursor", "invalid_cursor")  # of a version of the server that had another order
    rows: list[T] = []
    last = place
    for number in range(place.walk if place else 0, len(asked.walks)):
        walk, after = asked.walks[number], place if place and place.walk == number else None
        limit = query.limit - len(rows)
        found = await _select(tx, listing, asked, walk, ids, after, limit + 1)
        shown, places, is_over = _read(found, walk, number, limit)
        rows += structs_of(listing.kind, shown)
        last = places[-1] if places else last
        if not is_over and last is not None:
            return Page(rows, cursors.seal(last), True, query.limit)
    return Page(rows, None, False, query.limit)


async def page_in_time(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any = None, *, prepared: Prepared | None = None
) -> Page[T]:
    """As `fetch_page`, for somebody who waits for it: goes on while a page is empty and time is left."""
    until = time.monotonic() + _PATIENCE
    prepared = prepared or await prepare(tx, listing, query, reach)
    page = await fetch_page(tx, listing, query, reach, prepared=prepared)
    while page.has_more and not page.data and time.monotonic() < until:
        query = structs.replace(query, cursor=page.next_cursor)
        page = await fetch_page(tx, listing, query, reach, prepared=prepared)
    return page


async def count(
    tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None, *, prepared: Prepared | None = None
) -> Count:
    """Exact up to MOST_COUNTED, unless more rows would have to be examined than a page does, and beyond that
    where the list has a total that is kept beside its rows."""
    prepared = prepared or await prepare(tx, listing, query, reach)
    asked, ids = prepared.asked, prepared.ids
    total = 0
    for walk in asked.walks:
        passes = _passes(asked, walk)
        rows = await _source(tx, listing, asked, walk, ids, beyond=False, at_least=1)
        (row,) = await tx.rows(
            f"""
            SELECT count(DISTINCT row.row_id) FILTER (WHERE NOT row.is_end OR row.passes) AS total,
                   COALESCE(bool_or(row.is_end), false) OR count(*) > {MOST_COUNTED} AS is_cut
            FROM (
                SELECT row.row_id, row.is_end, row.is_end AND ({passes}) AS passes FROM ({rows}) AS row
                WHERE row.is_end OR ({passes}) LIMIT {MOST_COUNTED + 1}) AS row
            """,  # noqa: S608
            **_params(asked, ids),
        )
        total += row["total"]
        if row["is_cut"] or total > MOST_COUNTED:
            kept = await listing.total(tx, query, filters_in_use(listing, query).keys(), reach)
            return Count(min(total, MOST_COUNTED), exact=False) if kept is None else Count(max(kept, total))
    return Count(total)


async def list_rows(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any = None, *, limit: int | None = None
) -> list[T]:
    """The first `limit` rows, or all of them."""
    return (await _collect(tx, listing, query, reach, limit))[0]


async def list_ids(
    tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None, *, most: int
) -> tuple[list[UUID], str | None]:
    """The ids of the next `most` rows, and the cursor of what follows."""
    only = listing.showing(_Id, listing.name, columns={"id": f"row.{listing.id}"})
    rows, cursor = await _collect(tx, only, query, reach, most)
    return [row.id for row in rows], cursor


async def _collect(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any, limit: int | None
) -> tuple[list[T], str | None]:
    prepared = await prepare(tx, listing, query, reach)
    rows: list[T] = []
    while limit is None or len(rows) < limit:
        size = _AT_ONCE if limit is None else min(limit - len(rows), _AT_ONCE)
        query = structs.replace(query, limit=size)
        page = await fetch_page(tx, listing, query, reach, prepared=prepared)
        rows += page.data
        if not page.has_more:
            return rows, None
        query = structs.replace(query, cursor=page.next_cursor)
    return rows, query.cursor


async def read_pages(
    reading: Reading,
    listing: List[T],
    query: ListQuery,
    reach: Any = None,
    *,
    size: int = 100,
    load: Callable[[Tx, Sequence[T]], Awaitable[Sequence[Any]]] | None = None,
) -> AsyncIterator[Sequence[Any]]:
    """All rows, page by page, each page in a transaction of its own: none is held while a client reads.

    `load` loads what is shown of the rows of a page, in the transaction of that page.
    """
    query, has_more = structs.replace(query, limit=size, cursor=None, fields=None), True
    while has_more:
        async with reading() as tx:
            page = await fetch_page(tx, listing, query, reach)
            rows = await load(tx, page.data) if load else page.data
        yield rows
        has_more, query = page.has_more, structs.replace(query, cursor=page.next_cursor)


async def find_few_ids(tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None) -> list[UUID] | None:
    """The ids of all rows that the list shows, and perhaps of others. None where there may be many."""
    return (await prepare(tx, listing, query, reach)).ids


async def find_rows(tx: Tx, listing: List[T], ids: Sequence[UUID], reach: Any = None) -> list[T]:
    """Of these rows, those within reach, in the usual order of the list."""
    if not ids:
        return []
    conditions = [*listing.always, *listing.reach(reach)]
    where = " AND ".join(["true", *(f"({each.where})" for each in conditions)])
    by = ", ".join(f"row.{key} {listing.usual.direction}" for key in (*listing.usual.keys, listing.id))
    params = {name: value for each in conditions for name, value in each.params.items()}
    return await tx.list(
        listing.kind,
        f"""
        SELECT {listing.shown} FROM {listing.table} AS row
        WHERE row.tenant_id = :tenant AND row.{listing.id} = ANY(:ids) AND {where} ORDER BY {by}
        """,  # noqa: S608
        ids=ids,
        **params,
    )


async def find_row(tx: Tx, listing: List[T], id: UUID, reach: Any = None) -> T | None:
    """None also for a row that is out of reach."""
    rows = await find_rows(tx, listing, [id], reach)
    return rows[0] if rows else None


async def get_row(tx: Tx, listing: List[T], id: UUID, reach: Any = None, *, missing: str) -> T:
    """Raises NotFound with the code `missing`, also for a row that is out of reach."""
    row = await find_row(tx, listing, id, reach)
    if row is None:
        raise NotFound(missing)
    return row


async def _select(
    tx: Tx,
    listing: List[Any],
    asked: Asked,
    walk: Walk,
    ids: list[UUID] | None,
    after: _Place | None,
    limit: int,
) -> Sequence[Any]:
    """In order, the rows that pass, and those at which the examined rows end."""
    passes, sort = _passes(asked, walk), walking.sort_of(walk)
    beyond = "true"
    if ids is not None and after:
        beyond = walking.is_beyond(walk, [f"row.{name}" for name in [*walking.key_names(walk), "row_id"]])
    rows = await _source(tx, listing, asked, walk, ids, beyond=after is not None, at_least=limit)
    params = _params(asked, ids)
    if after:
        params |= {f"after_{number}": key for number, key in enumerate(after.keys)} | {"after_id": after.id}
    return await tx.rows(
        f"""
        SELECT {listing.shown}, row.row_id, row.is_end, row.passes,
               {", ".join(f"row.{name}" for name in walking.key_names(walk))}
        FROM (
            SELECT row.*, NOT row.is_end OR ({passes}) AS passes FROM ({rows}) AS row
            WHERE (row.is_end OR ({passes})) AND {beyond} ORDER BY {sort} LIMIT {limit}) AS row
        ORDER BY {sort}
        """,  # noqa: S608
        **params,
    )


async def _source(
    tx: Tx,
    listing: List[Any],
    asked: Asked,
    walk: Walk,
    ids: list[UUID] | None,
    *,
    beyond: bool,
    at_least: int,
) -> str:
    if ids is not None:
        return narrowing.select_few(listing, asked, walk)
    return await walking.select_examined(tx, listing, asked, walk, beyond=beyond, at_least=at_least)


def _passes(asked: Asked, walk: Walk) -> str:
    return " AND ".join(["true", *(f"({each.where})" for each in asked.conditions), f"({walk.among})"])


def _params(asked: Asked, ids: list[UUID] | None) -> dict[str, Any]:
    return asked.params | ({} if ids is None else {"among": ids})


def _read(rows: Sequence[Any], walk: Walk, number: int, limit: int) -> tuple[list[Any], list[_Place], bool]:
    """The rows to show, the places at which they stand, and whether there are no more.

    Where there are more, the last place is the one to go on from.
    """
    shown: list[Any] = []
    places: list[_Place] = []
    for row in rows:
        place = _Place(number, [row[name] for name in walking.key_names(walk)], row["row_id"])
        if row["passes"] and place not in places[-1:]:  # two branches may have read the same row
            if len(shown) == limit:
                return shown, places, False
            shown.append(row)
        places.append(place)
        if row["is_end"]:
            return shown, places, False
    return shown, places, len(rows) <= limit
