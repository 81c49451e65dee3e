"""Lists: pages behind an opaque cursor, at the same cost wherever they start.

A cursor holds the sort key of the last row shown. It is authenticated and bound to the tenant, the
route, the order and the filters; anything else is `invalid_cursor`.
"""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import FieldNames, Timestamp, to_json

T = TypeVar("T", bound=Struct)

PageSize = Annotated[int, Meta(ge=1, le=100, examples=[20])]
_CURSOR = {"format": "cursor", "pattern": "^[A-Za-z0-9_-]+$"}
Cursor = Annotated[str, Meta(examples=["mYp0c2VhbGVkLWN1cnNvci1vZi1vbmUtbGlzdA"], extra_json_schema=_CURSOR)]
_CURSOR_MEANS = "`next_cursor` of the page before. Opaque; it belongs to this list with these filters."
_SINCE_MEANS = "Only rows changed at or after this moment, by their last change, oldest first."
_TAG_BYTES = 16
_NO_ID = UUID(int=0)


Fields = Annotated[FieldNames, Meta(description="Only these members and `id`, separated by commas.")]


class ItemQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every read of one thing takes. Which `fields` there are, the route's result says."""

    fields: Fields | None = None


class ListQuery(ItemQuery, frozen=True, kw_only=True):
    """What every list takes. A list's own filters are further members."""

    limit: Annotated[PageSize, Meta(description="Rows on a page.")] = 20
    cursor: Annotated[Cursor, Meta(description=_CURSOR_MEANS)] | None = None


class SyncQuery(ListQuery, frozen=True, kw_only=True):
    """A list that can also be followed by change: rows with `updated_at` at or after a moment."""

    updated_since: Annotated[Timestamp, Meta(description=_SINCE_MEANS)] | None = None


class Page(Struct, Generic[T], frozen=True):
    data: Sequence[T]
    next_cursor: Cursor | None
    has_more: bool
    limit: PageSize


class Order(Struct, frozen=True):
    """A list's sort key: this column, then `id`."""

    column: str
    direction: Literal["ASC", "DESC"]


NEWEST = Order("created_at", "DESC")
BY_CHANGE = Order("updated_at", "ASC")


class _Position(Struct, array_like=True):
    at: str | int
    id: UUID


async def fetch_page(
    tx: Tx,
    kind: type[T],
    select: str,
    query: ListQuery,
    *,
    route: str,
    where: Sequence[str] = (),
    any_of: Sequence[str] = (),
    order: Order = NEWEST,
    **params: Any,
) -> Page[T]:
    """One page of `select`, which ends in its WHERE clause and shows `id` and the column of its order.

    With `updated_since` the order is that of change, oldest first. `where` are further conditions, `any_of`
    conditions no two of which hold for one row: each is looked for by itself, as an OR would use no index.
    Raises Invalid (invalid_cursor).
    """
    since = getattr(query, "updated_since", None)
    if since:
        order = BY_CHANGE
    binding = _binding(tx, route, query)
    conditions = list(where)
    if since:
        conditions.append("updated_at >= :updated_since")
    if query.cursor is not None:
        position = _open(tx, query.cursor, binding)
        params |= {"after_at": position.at, "after_id": position.id}
        beyond = "<" if order.direction == "DESC" else ">"
        conditions.append(f"({order.column}, id) {beyond} (:after_at, :after_id)")
    page = f"ORDER BY {order.column} {order.direction}, id {order.direction} LIMIT {query.limit + 1}"
    parts = [" AND ".join([select, *conditions, each]) + f" {page}" for each in any_of or ("true",)]
    together = " UNION ALL ".join(f"({each})" for each in parts)
    rows = await tx.list(
        kind,
        parts[0] if len(parts) == 1 else f"SELECT * FROM ({together}) AS parts {page}",  # noqa: S608
        **({"updated_since": since} if since else {}),
        **params,
    )
    if len(rows) <= query.limit:
        return Page(rows, None, False, query.limit)
    shown = rows[: query.limit]
    last: Any = shown[-1]
    return Page(shown, _seal(tx, _Position(getattr(last, order.column), last.id), binding), True, query.limit)


class Keyset:
    """A list that orders its rows by a text of its own making, compared byte by byte, and an id.

    `after` is what the last row shown has of both; None at the beginning. Raises Invalid (invalid_cursor).
    """

    def __init__(self, tx: Tx, query: ListQuery, *, route: str) -> None:
        self._tx = tx
        self._query = query
        self._binding = _binding(tx, route, query)
        self.after: tuple[str, UUID] | None = None
        if query.cursor is not None:
            position = _open(tx, query.cursor, self._binding)
            self.after = (str(position.at), position.id)

    def page(self, rows: Sequence[T], places: Sequence[tuple[str, UUID]]) -> Page[T]:
        """Of rows in order, one more than the limit where there are more, with the place of each."""
        limit = self._query.limit
        if len(rows) <= limit:
            return Page(rows, None, False, limit)
        cursor = _seal(self._tx, _Position(*places[limit - 1]), self._binding)
        return Page(rows[:limit], cursor, True, limit)


class Cursors:
    """Writes the cursors of a list, and reads them: of this tenant, route, filters and reach alone."""

    def __init__(self, tx: Tx, query: ListQuery, *, route: str, reach: Any = None) -> None:
        self._tx = tx
        self._cursor = query.cursor
        self._binding = to_json([_binding(tx, route, query).decode(), reach])

    def open(self, kind: type[T]) -> T | None:
        """What the query's cursor holds; None on the first page. Raises Invalid (invalid_cursor)."""
        if self._cursor is None:
            return None
        return msgspec.msgpack.decode(_unseal(self._tx, self._cursor, self._binding), type=kind)

    def seal(self, place: Struct) -> str:
        return _seal(self._tx, place, self._binding)


def page_of(tx: Tx, rows: Sequence[T], query: ListQuery, *, route: str) -> Page[T]:
    """A page of rows that are all at hand and stay in one order. Raises Invalid (invalid_cursor)."""
    binding = _binding(tx, route, query)
    start = int(_open(tx, query.cursor, binding).at) if query.cursor is not None else 0
    end = start + query.limit
    more = end < len(rows)
    cursor = _seal(tx, _Position(end, _NO_ID), binding) if more else None
    return Page(rows[start:end], cursor, more, query.limit)


def shown_fields(asked: FieldNames, result: Any) -> FieldNames:
    """`asked`, where the data of this result has all of them; a page or a file has none. Raises Invalid."""
    kind = get_origin(result)
    if not (issubclass(kind, Struct) if kind else "data" in get_type_hints(result)):
        raise invalid("fields", "unknown_parameter")
    known = data_of(result).__struct_fields__
    if not set(asked.items()) <= set(known):
        raise invalid("fields", "invalid_value", allowed=list(known))
    return asked


def data_of(result: Any) -> Any:
    """The Struct in an Envelope or a Page."""
    kind = get_args(result)
    return kind[0] if kind else get_type_hints(result)["data"]


def only(result: Any, names: Sequence[str]) -> Any:
    """The answer with only these members of its data, and `id`."""
    plain = msgspec.to_builtins(result, enc_hook=str)
    data = plain["data"]
    many = data if isinstance(data, list) else [data]
    kept = [{name: row[name] for name in row if name == "id" or name in names} for row in many]
    plain["data"] = kept if isinstance(data, list) else kept[0]
    return plain


def empty_page(query: ListQuery) -> Page[Any]:
    """A list that has nothing in it yet, and so has given out no cursor."""
    if query.cursor is not None:
        raise invalid("cursor", "invalid_cursor")
    return Page([], None, False, query.limit)


def _binding(tx: Tx, route: str, query: ListQuery) -> bytes:
    """What a cursor must agree with: all of the query but the size of the page and the shown members."""
    free = ("limit", "cursor", "fields")
    filters = {name: getattr(query, name) for name in query.__struct_fields__ if name not in free}
    return to_json([tx.tenant_id, route, filters])


def _seal(tx: Tx, position: Struct, binding: bytes) -> str:
    payload = msgspec.msgpack.encode(position)
    tag = tx.keyring.mac(b"cursor", binding, payload)[:_TAG_BYTES]
    return _text(tag + payload)


def _text(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _open(tx: Tx, cursor: str, binding: bytes) -> _Position:
    return msgspec.msgpack.decode(_unseal(tx, cursor, binding), type=_Position)


def _unseal(tx: Tx, cursor: str, binding: bytes) -> bytes:
    try:
        sealed = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError):
        raise invalid("cursor", "invalid_cursor") from None
    tag, payload = sealed[:_TAG_BYTES], sealed[_TAG_BYTES:]
    if _text(sealed) != cursor:  # base64 reads some other texts as the same bytes
        raise invalid("cursor", "invalid_cursor")
    if not hmac.compare_digest(tag, tx.keyring.mac(b"cursor", binding, payload)[:_TAG_BYTES]):
        raise invalid("cursor", "invalid_cursor")
    return payload
