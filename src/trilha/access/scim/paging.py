"""Pages of a list, by the number of the first row (RFC 7644 §3.4.2.4) or by cursor (RFC 9865)."""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from trilha.access.scim.attributes import Attribute, Attributes
from trilha.access.scim.errors import build_error
from trilha.access.scim.parameters import ListRequest
from trilha.core.database import Tx
from trilha.core.database.connection import structs_of
from trilha.core.types import to_json

_TAG_BYTES = 16


class Order(Struct, frozen=True):
    """An order. `keys` are SQL expressions, the last one is the id. `descending` applies to all of them."""

    keys: Sequence[str]
    descending: bool

    @property
    def sql(self) -> str:
        direction = " DESC" if self.descending else ""
        return ", ".join(f"{key}{direction}" for key in self.keys)


class Page(Struct, frozen=True):
    rows: Sequence[Any]
    total: int
    next_cursor: str | None


def order_of(request: ListRequest, attributes: Attributes, default: Sequence[str], id: str) -> Order:
    """Returns the order. Rows without a value come last; in descending order, first. Raises ScimError."""
    if request.sort_by is None:
        return Order(default, request.descending)
    name = request.sort_by.lower()
    attribute = attributes.get(name) or attributes.get(name.removesuffix(".value"))
    if attribute is None:
        raise build_error("invalidValue", "The list cannot be sorted by this attribute.")
    key = _key(attribute)
    return Order([f"({key} IS NULL)", f"COALESCE({key}, {_NOTHING[attribute.kind]})", id], request.descending)


_NOTHING = {"text": "''", "boolean": "false", "time": "'-infinity'::timestamptz"}


def _key(attribute: Attribute) -> str:
    if attribute.name == "emails":
        first = f"jsonb_path_query_first({attribute.sql}, '$[*] ? (@.primary == true)')"
        return f"lower(COALESCE({first}, {attribute.sql} -> 0) ->> 'value') COLLATE \"C\""
    if attribute.parts:
        raise build_error("invalidValue", "The list cannot be sorted by this attribute.")
    if attribute.kind != "text":
        return attribute.sql
    return f'{attribute.sql} COLLATE "C"' if attribute.exact else f'lower({attribute.sql}) COLLATE "C"'


def binding_of(tx: Tx, kind: str, request: ListRequest) -> bytes:
    """Returns the parameters that a cursor is valid for."""
    return to_json([tx.tenant_id, "scim", kind, request.filter, request.sort_by, request.descending])


def seal(tx: Tx, binding: bytes, place: Sequence[Any]) -> str:
    payload = msgspec.msgpack.encode(place)
    tag = tx.keyring.mac(b"scim-cursor", binding, payload)[:_TAG_BYTES]
    return urlsafe_b64encode(tag + payload).rstrip(b"=").decode()


def unseal(tx: Tx, binding: bytes, cursor: str) -> list[Any]:
    """Returns the place that a cursor contains. Raises ScimError (invalidCursor)."""
    try:
        sealed = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError):
        raise build_error("invalidCursor") from None
    tag, payload = sealed[:_TAG_BYTES], sealed[_TAG_BYTES:]
    if not hmac.compare_digest(tag, tx.keyring.mac(b"scim-cursor", binding, payload)[:_TAG_BYTES]):
        raise build_error("invalidCursor")
    place: list[Any] = msgspec.msgpack.decode(payload)
    return place


class Selection(Struct, frozen=True, kw_only=True):
    """What to list: `source` is FROM and WHERE, `columns` the members of `kind`."""

    name: str
    kind: type[Struct]
    columns: str
    source: str
    params: dict[str, Any]
    order: Order
    types: Sequence[str]  # SQL types of the keys, for a cursor
    count: Callable[[], Awaitable[int]]


async def fetch(tx: Tx, request: ListRequest, selection: Selection) -> Page:
    """Returns one page. Raises ScimError (invalidCursor)."""
    if request.count == 0:
        return Page([], await selection.count(), None)
    if request.cursor is not None:
        return await _by_cursor(tx, request, selection)
    rows = await tx.list(
        selection.kind,
        f"SELECT {selection.columns} FROM {selection.source} ORDER BY {selection.order.sql} "  # noqa: S608
        "LIMIT :page_size OFFSET :page_start",
        page_size=request.count,
        page_start=request.start - 1,
        **selection.params,
    )
    is_last = len(rows) < request.count and (rows or request.start == 1)
    total = request.start - 1 + len(rows) if is_last else await selection.count()
    return Page(rows, total, None)


async def _by_cursor(tx: Tx, request: ListRequest, selection: Selection) -> Page:
    binding = binding_of(tx, selection.name, request)
    where, params = "", dict(selection.params)
    keys = selection.order.keys
    if request.cursor:
        place = unseal(tx, binding, request.cursor)
        names = [f"after_{number}" for number in range(len(keys))]
        params |= dict(zip(names, place, strict=True))
        after = ", ".join(f":{name}::text::{kind}" for name, kind in zip(names, selection.types, strict=True))
        where = f"AND ({', '.join(keys)}) {'<' if selection.order.descending else '>'} ({after})"
    places = ", ".join(f"({key})::text AS place_{number}" for number, key in enumerate(keys))
    rows = await tx.rows(
        f"SELECT {selection.columns}, {places} FROM {selection.source} {where} "  # noqa: S608
        f"ORDER BY {selection.order.sql} LIMIT :page_size",
        page_size=request.count + 1,
        **params,
    )
    page = rows[: request.count]
    next_cursor = None
    if len(rows) > request.count:
        next_cursor = seal(tx, binding, [page[-1][f"place_{number}"] for number in range(len(keys))])
    return Page(structs_of(selection.kind, page), await selection.count(), next_cursor)


def types_of(request: ListRequest, attributes: Attributes, default: Sequence[str]) -> Sequence[str]:
    """Returns the SQL types of the order's keys."""
    if request.sort_by is None:
        return default
    name = request.sort_by.lower()
    attribute = attributes.get(name) or attributes[name.removesuffix(".value")]
    kind = {"text": "text", "boolean": "boolean", "time": "timestamptz"}[attribute.kind]
    return ["boolean", kind, "uuid"]
