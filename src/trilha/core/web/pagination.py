"""Queries, pages and cursors of lists.

A cursor is authenticated and bound to the tenant, the list, its order and its filters. Any other value is
`invalid_cursor`.
"""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import FieldNames, Timestamp, to_json

T = TypeVar("T", bound=Struct)
U = TypeVar("U")

PageSize = Annotated[int, Meta(ge=1, le=100, examples=[20])]
_CURSOR = {"format": "cursor", "pattern": "^[A-Za-z0-9_-]+$"}
Cursor = Annotated[str, Meta(examples=["mYp0c2VhbGVkLWN1cnNvci1vZi1vbmUtbGlzdA"], extra_json_schema=_CURSOR)]
_CURSOR_MEANS = "`next_cursor` of the page before. Opaque; it belongs to this list with these filters."
_SINCE_MEANS = "Only rows changed at or after this moment, by their last change, oldest first."
_TAG_BYTES = 16


Fields = Annotated[FieldNames, Meta(description="Only these members and `id`, separated by commas.")]


class ItemQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Query parameters of a route that returns one object. The available `fields` depend on the route."""

    fields: Fields | None = None


class ListQuery(ItemQuery, frozen=True, kw_only=True):
    """Query parameters that every list accepts. A subclass adds the filters of its list."""

    limit: Annotated[PageSize, Meta(description="Rows on a page.")] = 20
    cursor: Annotated[Cursor, Meta(description=_CURSOR_MEANS)] | None = None


class SyncQuery(ListQuery, frozen=True, kw_only=True):
    """A list that can be synchronized: `updated_since` selects rows changed at or after a time."""

    updated_since: Annotated[Timestamp, Meta(description=_SINCE_MEANS)] | None = None


class Page(Struct, Generic[T], frozen=True):
    data: Sequence[T]
    next_cursor: Cursor | None
    has_more: bool
    limit: PageSize


class Cursors:
    """Creates and reads the cursors of one list, for one tenant, its filters and its reach.

    A cursor holds the place where the next page begins.
    """

    def __init__(self, tx: Tx, query: ListQuery, *, route: str, reach: Any = None) -> None:
        self._tx = tx
        self._cursor = query.cursor
        self._binding = to_json([_binding(tx, route, query).decode(), reach])

    def open(self, kind: type[U]) -> U | None:
        """Returns the place in the query's cursor, or None for the first page. Raises Invalid
        (invalid_cursor).
        """
        if self._cursor is None:
            return None
        return msgspec.msgpack.decode(_unseal(self._tx, self._cursor, self._binding), type=kind)

    def seal(self, place: Struct | int) -> str:
        payload = msgspec.msgpack.encode(place)
        tag = self._tx.keyring.mac(b"cursor", self._binding, payload)[:_TAG_BYTES]
        return _text(tag + payload)


def page_of(tx: Tx, rows: Sequence[T], query: ListQuery, *, route: str) -> Page[T]:
    """Returns a page of rows that are all in memory and have a stable order. Raises Invalid
    (invalid_cursor).
    """
    cursors = Cursors(tx, query, route=route)
    start = cursors.open(int) or 0
    end = start + query.limit
    more = end < len(rows)
    return Page(rows[start:end], cursors.seal(end) if more else None, more, query.limit)


def check_fields(requested: FieldNames, result: Any) -> FieldNames:
    """Checks that the result's data has all requested members. Pages and files have none. Raises Invalid."""
    kind = get_origin(result)
    if not (issubclass(kind, Struct) if kind else "data" in get_type_hints(result)):
        raise invalid("fields", "unknown_parameter")
    known = data_of(result).__struct_fields__
    if not set(requested.items()) <= set(known):
        raise invalid("fields", "invalid_value", allowed=list(known))
    return requested


def data_of(result: Any) -> Any:
    """Returns the Struct in an Envelope or a Page."""
    kind = get_args(result)
    data = kind[0] if kind else get_type_hints(result)["data"]
    return get_args(data)[0] if get_origin(data) is list else data


def only(result: Any, names: Sequence[str]) -> Any:
    """Reduces the data of a response to these members and `id`."""
    plain = msgspec.to_builtins(result, enc_hook=str)
    data = plain["data"]
    many = data if isinstance(data, list) else [data]
    kept = [{name: row[name] for name in row if name == "id" or name in names} for row in many]
    plain["data"] = kept if isinstance(data, list) else kept[0]
    return plain


def _binding(tx: Tx, route: str, query: ListQuery) -> bytes:
    """Returns what a cursor is bound to: the query without the page size and the requested members."""
    free = ("limit", "cursor", "fields")
    filters = {name: getattr(query, name) for name in query.__struct_fields__ if name not in free}
    return to_json([tx.tenant_id, route, filters])


def _text(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _unseal(tx: Tx, cursor: str, binding: bytes) -> bytes:
    try:
        sealed = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError):
        raise invalid("cursor", "invalid_cursor") from None
    tag, payload = sealed[:_TAG_BYTES], sealed[_TAG_BYTES:]
    if _text(sealed) != cursor:  # base64 decodes some other texts to the same bytes
        raise invalid("cursor", "invalid_cursor")
    if not hmac.compare_digest(tag, tx.keyring.mac(b"cursor", binding, payload)[:_TAG_BYTES]):
        raise invalid("cursor", "invalid_cursor")
    return payload
