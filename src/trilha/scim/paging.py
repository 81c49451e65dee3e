"""One page of a list: by the number of its first row (RFC 7644 §3.4.2.4), or by cursor (RFC 9865)."""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.database.connection import structs_of
from trilha.core.types import to_json
from trilha.scim.attributes import Attribute, Attributes
from trilha.scim.errors import refused
from trilha.scim.parameters import Asked

_TAG_BYTES = 16


class Order(Struct, frozen=True):
    """SQL to order by; the last is the id. `keys` are the same as columns, `descending` is of the first."""

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


def order_of(asked: Asked, attributes: Attributes, usual: Sequence[str], id: str) -> Order:
    """Rows without a value come last, in descending order first. Raises ScimError."""
    if asked.sort_by is None:
        return Order(usual, asked.descending)
    name = asked.sort_by.lower()
    attribute = attributes.get(name) or attributes.get(name.removesuffix(".value"))
    if attribute is None:
        raise refused("invalidValue", "The list cannot be ordered by this attribute.")
    key = _key(attribute)
    return Order([f"({key} IS NULL)", f"COALESCE({key}, {_NOTHING[attribute.kind]})", id], asked.descending)


_NOTHING = {"text": "''", "boolean": "false", "time": "'-infinity'::timestamptz"}


def _key(attribute: Attribute) -> str:
    if attribute.name == "emails":
        first = f"jsonb_path_query_first({attribute.sql}, '$[*] ? (@.primary == true)')"
        return f"lower(COALESCE({first}, {attribute.sql} -> 0) ->> 'value') COLLATE \"C\""
    if attribute.parts:
        raise refused("invalidValue", "The list cannot be ordered by this attribute.")
    if attribute.kind != "text":
        return attribute.sql
    return f'{attribute.sql} COLLATE "C"' if attribute.exact else f'lower({attribute.sql}) COLLATE "C"'


def binding_of(tx: Tx, kind: str, asked: Asked) -> bytes:
    """What a cursor must agree with."""
    return to_json([tx.tenant_id, "scim", kind, asked.filter, asked.sort_by, asked.descending])


def seal(tx: Tx, binding: bytes, place: Sequence[Any]) -> str:
    payload = msgspec.msgpack.encode(place)
    tag = tx.keyring.mac(b"scim-cursor", binding, payload)[:_TAG_BYTES]
    return urlsafe_b64encode(tag + payload).rstrip(b"=").decode()


def unseal(tx: Tx, binding: bytes, cursor: str) -> list[Any]:
    """Raises ScimError (invalidCursor)."""
    try:
        sealed = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError):
        raise refused("invalidCursor") from None
    tag, payload = sealed[:_TAG_BYTES], sealed[_TAG_BYTES:]
    if not hmac.compare_digest(tag, tx.keyring.mac(b"scim-cursor", binding, payload)[:_TAG_BYTES]):
        raise refused("invalidCursor")
    place: list[Any] = msgspec.msgpack.decode(payload)
    return place


class Selection(Struct, frozen=True, kw_only=True):
    """What is listed: `source` is FROM and WHERE, `columns` what is read of each row as a `kind`."""

    name: str
    kind: type[Struct]
    columns: str
    source: str
    params: dict[str, Any]
    order: Order
    types: Sequence[str]  # of the keys, for a cursor
    count: Callable[[], Awaitable[int]]


async def fetch(tx: Tx, asked: Asked, chosen: Selection) -> Page:
    """Raises ScimError (invalidCursor)."""
    if asked.count == 0:
        return Page([], await chosen.count(), None)
    if asked.cursor is not None:
        return await _by_cursor(tx, asked, chosen)
    rows = await tx.list(
        chosen.kind,
        f"SELECT {chosen.columns} FROM {chosen.source} ORDER BY {chosen.order.sql} "  # noqa: S608
        "LIMIT :page_size OFFSET :page_start",
        page_size=asked.count,
        page_start=asked.start - 1,
        **chosen.params,
    )
    is_last = len(rows) < asked.count and (rows or asked.start == 1)
    total = asked.start - 1 + len(rows) if is_last else await chosen.count()
    return Page(rows, total, None)


async def _by_cursor(tx: Tx, asked: Asked, chosen: Selection) -> Page:
    binding = binding_of(tx, chosen.name, asked)
    where, params = "", dict(chosen.params)
    keys = chosen.order.keys
    if asked.cursor:
        place = unseal(tx, binding, asked.cursor)
        names = [f"after_{number}" for number in range(len(keys))]
        params |= dict(zip(names, place, strict=True))
        after = ", ".join(f":{name}::text::{kind}" for name, kind in zip(names, chosen.types, strict=True))
        where = f"AND ({', '.join(keys)}) {'<' if chosen.order.descending else '>'} ({after})"
    shown = ", ".join(f"({key})::text AS place_{number}" for number, key in enumerate(keys))
    rows = await tx.rows(
        f"SELECT {chosen.columns}, {shown} FROM {chosen.source} {where} "  # noqa: S608
        f"ORDER BY {chosen.order.sql} LIMIT :page_size",
        page_size=asked.count + 1,
        **params,
    )
    page = rows[: asked.count]
    following = None
    if len(rows) > asked.count:
        following = seal(tx, binding, [page[-1][f"place_{number}"] for number in range(len(keys))])
    return Page(structs_of(chosen.kind, page), await chosen.count(), following)


def types_of(asked: Asked, attributes: Attributes, usual: Sequence[str]) -> Sequence[str]:
    """What the keys of its order are, for PostgreSQL."""
    if asked.sort_by is None:
        return usual
    name = asked.sort_by.lower()
    attribute = attributes.get(name) or attributes[name.removesuffix(".value")]
    kind = {"text": "text", "boolean": "boolean", "time": "timestamptz"}[attribute.kind]
    return ["boolean", kind, "uuid"]
