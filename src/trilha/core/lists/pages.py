"""Loads pages of a list, counts its rows, and lists their ids."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, TypeVar
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Reading, Tx, structs_of
from trilha.core.errors import NotFound, invalid
from trilha.core.lists import narrowing, walking
from trilha.core.lists.listing import List, SqlQuery, Walk, build_query, list_active_filters
from trilha.core.web.pagination import Cursors, ListQuery, Page

T = TypeVar("T", bound=Struct)
MAX_COUNTED = 1000
_BATCH_SIZE = 1000
_MAX_WAIT = 0.1  # seconds


class Count(Struct, frozen=True):
    """The number of rows of a list. If it is not `exact`, there are more. False if there are none."""

    total: int
    exact: bool = True

    def __bool__(self) -> bool:
        return self.total > 0


def cap_count(rows: int) -> Count:
    """Returns the count of a statement that stops at MAX_COUNTED + 1 rows."""
    return Count(rows) if rows <= MAX_COUNTED else Count(MAX_COUNTED, exact=False)


class _Place(Struct, array_like=True):
    """The end of a page: the number of the walk, and the keys and the id of the last row examined."""

    walk: int
    keys: list[str | int]
    id: UUID | int


class _Id(Struct, frozen=True):
    id: UUID


class PreparedQuery(Struct, frozen=True):
    """A query in SQL. `ids` are the few rows that it selects from, or None if there may be many."""

    sql: SqlQuery
    ids: list[UUID] | None


async def prepare(tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None) -> PreparedQuery:
    """Prepares a query, so that its page and its count share the work."""
    ids, sql = await narrowing.narrow(tx, listing, await build_query(tx, listing, query, reach))
    return PreparedQuery(sql, ids)


async def fetch_page(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any = None, *, prepared: PreparedQuery | None = None
) -> Page[T]:
    """Loads one page. A page with `has_more` may be short or empty: only a limited number of rows is
    examined.

    Raises Invalid (invalid_cursor).
    """
    cursors = Cursors(tx, query, route=listing.name, reach=reach)
    place = cursors.open(_Place)
    prepared = prepared or await prepare(tx, listing, query, reach)
    sql, ids = prepared.sql, prepared.ids
    if place and (place.walk >= len(sql.walks) or len(place.keys) != len(sql.walks[place.walk].keys)):
        raise invalid("cursor", "invalid_cursor")  # from a release with other orders
    rows: list[T] = []
    last = place
    for number in range(place.walk if place else 0, len(sql.walks)):
        walk, after = sql.walks[number], place if place and place.walk == number else None
        limit = query.limit - len(rows)
        selected = await _select(tx, listing, sql, walk, ids, after, limit + 1)
        page_rows, places, is_over = _read(selected, walk, number, limit)
        rows += structs_of(listing.kind, page_rows)
        last = places[-1] if places else last
        if not is_over and last is not None:
            return Page(rows, cursors.seal(last), True, query.limit)
    return Page(rows, None, False, query.limit)


async def fetch_nonempty_page(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any = None, *, prepared: PreparedQuery | None = None
) -> Page[T]:
    """Loads one page for a person who waits: continues past empty pages for a short time."""
    deadline = time.monotonic() + _MAX_WAIT
    prepared = prepared or await prepare(tx, listing, query, reach)
    page = await fetch_page(tx, listing, query, reach, prepared=prepared)
    while page.has_more and not page.data and time.monotonic() < deadline:
        query = structs.replace(query, cursor=page.next_cursor)
        page = await fetch_page(tx, listing, query, reach, prepared=prepared)
    return page


async def count(
    tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None, *, prepared: PreparedQuery | None = None
) -> Count:
    """Counts the rows, exactly up to MAX_COUNTED.

    The count is not exact if more rows than for a page have to be examined. Beyond MAX_COUNTED it is exact
    if the list stores its total.
    """
    prepared = prepared or await prepare(tx, listing, query, reach)
    sql, ids = prepared.sql, prepared.ids
    total = 0
    for walk in sql.walks:
        condition = _build_filter(sql, walk)
        rows = await _build_source(tx, listing, sql, walk, ids, beyond=False, at_least=1)
        (row,) = await tx.rows(
            f"""
            SELECT count(DISTINCT row.row_id) FILTER (WHERE NOT row.is_end OR row.passes) AS total,
                   COALESCE(bool_or(row.is_end), false) OR count(*) > {MAX_COUNTED} AS is_cut
            FROM (
                SELECT row.row_id, row.is_end, row.is_end AND ({condition}) AS passes FROM ({rows}) AS row
                WHERE row.is_end OR ({condition}) LIMIT {MAX_COUNTED + 1}) AS row
            """,  # noqa: S608
            **_build_params(sql, ids),
        )
        total += row["total"]
        if row["is_cut"] or total > MAX_COUNTED:
            stored = await listing.total(tx, query, list_active_filters(listing, query).keys(), reach)
            return (
                Count(min(total, MAX_COUNTED), exact=False) if stored is None else Count(max(stored, total))
            )
    return Count(total)


async def list_rows(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any = None, *, limit: int | None = None
) -> list[T]:
    """Lists the first `limit` rows, or all."""
    return (await _collect(tx, listing, query, reach, limit))[0]


async def list_ids(
    tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None, *, limit: int
) -> tuple[list[UUID], str | None]:
    """Lists the ids of the next `limit` rows, with the cursor of the rest."""
    ids_only = listing.with_kind(_Id, listing.name, columns={"id": f"row.{listing.id}"})
    rows, cursor = await _collect(tx, ids_only, query, reach, limit)
    return [row.id for row in rows], cursor


async def _collect(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any, limit: int | None
) -> tuple[list[T], str | None]:
    prepared = await prepare(tx, listing, query, reach)
    rows: list[T] = []
    while limit is None or len(rows) < limit:
        size = _BATCH_SIZE if limit is None else min(limit - len(rows), _BATCH_SIZE)
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
    """Yields all rows, page by page. Each page has its own transaction, so that a slow client holds none
    open.

    `load` loads further data for the rows of a page, in the transaction of that page.
    """
    query, has_more = structs.replace(query, limit=size, cursor=None, fields=None), True
    while has_more:
        async with reading() as tx:
            page = await fetch_page(tx, listing, query, reach)
            rows = await load(tx, page.data) if load else page.data
        yield rows
        has_more, query = page.has_more, structs.replace(query, cursor=page.next_cursor)


async def find_few_ids(tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None) -> list[UUID] | None:
    """Returns the ids of all rows of the list, and perhaps some others. None if there may be many."""
    return (await prepare(tx, listing, query, reach)).ids


async def find_rows(tx: Tx, listing: List[T], ids: Sequence[UUID], reach: Any = None) -> list[T]:
    """Returns those rows with these ids that are within reach, in the default order of the list."""
    if not ids:
        return []
    conditions = [*listing.always, *listing.reach(reach)]
    where = " AND ".join(["true", *(f"({condition.where})" for condition in conditions)])
    order = ", ".join(
        f"row.{key} {listing.default_walk.direction}" for key in (*listing.default_walk.keys, listing.id)
    )
    params = {name: value for condition in conditions for name, value in condition.params.items()}
    return await tx.list(
        listing.kind,
        f"""
        SELECT {listing.select_columns} FROM {listing.table} AS row
        WHERE row.tenant_id = :tenant AND row.{listing.id} = ANY(:ids) AND {where} ORDER BY {order}
        """,  # noqa: S608
        ids=ids,
        **params,
    )


async def find_row(tx: Tx, listing: List[T], id: UUID, reach: Any = None) -> T | None:
    """Returns a row, or None if it does not exist or is out of reach."""
    rows = await find_rows(tx, listing, [id], reach)
    return rows[0] if rows else None


async def get_row(tx: Tx, listing: List[T], id: UUID, reach: Any = None, *, missing: str) -> T:
    """Returns a row. Raises NotFound with the code `missing` if it does not exist or is out of reach."""
    row = await find_row(tx, listing, id, reach)
    if row is None:
        raise NotFound(missing)
    return row


async def _select(
    tx: Tx,
    listing: List[Any],
    sql: SqlQuery,
    walk: Walk,
    ids: list[UUID] | None,
    after: _Place | None,
    limit: int,
) -> Sequence[Any]:
    """Selects, in order, the rows that meet the condition and the rows at which the examined ranges end."""
    condition, sort = _build_filter(sql, walk), walking.build_sort(walk)
    beyond = "true"
    if ids is not None and after:
        beyond = walking.build_after_condition(
            walk, [f"row.{name}" for name in [*walking.list_key_names(walk), "row_id"]]
        )
    rows = await _build_source(tx, listing, sql, walk, ids, beyond=after is not None, at_least=limit)
    params = _build_params(sql, ids)
    if after:
        params |= {f"after_{number}": key for number, key in enumerate(after.keys)} | {"after_id": after.id}
    return await tx.rows(
        f"""
        SELECT {listing.select_columns}, row.row_id, row.is_end, row.passes,
               {", ".join(f"row.{name}" for name in walking.list_key_names(walk))}
        FROM (
            SELECT row.*, NOT row.is_end OR ({condition}) AS passes FROM ({rows}) AS row
            WHERE (row.is_end OR ({condition})) AND {beyond} ORDER BY {sort} LIMIT {limit}) AS row
        ORDER BY {sort}
        """,  # noqa: S608
        **params,
    )


async def _build_source(
    tx: Tx,
    listing: List[Any],
    sql: SqlQuery,
    walk: Walk,
    ids: list[UUID] | None,
    *,
    beyond: bool,
    at_least: int,
) -> str:
    if ids is not None:
        return narrowing.select_narrowed(listing, sql, walk)
    return await walking.select_examined(tx, listing, sql, walk, beyond=beyond, at_least=at_least)


def _build_filter(sql: SqlQuery, walk: Walk) -> str:
    return " AND ".join(
        ["true", *(f"({condition.where})" for condition in sql.conditions), f"({walk.among})"]
    )


def _build_params(sql: SqlQuery, ids: list[UUID] | None) -> dict[str, Any]:
    return sql.params | ({} if ids is None else {"among": ids})


def _read(rows: Sequence[Any], walk: Walk, number: int, limit: int) -> tuple[list[Any], list[_Place], bool]:
    """Returns the rows of a page, their places, and whether the list ends here.

    If it does not end, the next page begins after the last place.
    """
    page_rows: list[Any] = []
    places: list[_Place] = []
    for row in rows:
        place = _Place(number, [row[name] for name in walking.list_key_names(walk)], row["row_id"])
        if row["passes"] and place not in places[-1:]:  # two branches may have read the same row
            if len(page_rows) == limit:
                return page_rows, places, False
            page_rows.append(row)
        places.append(place)
        if row["is_end"]:
            return page_rows, places, False
    return page_rows, places, len(rows) <= limit
