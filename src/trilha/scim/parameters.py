"""What is asked of a list: filter, order, page and attributes, by a query or in the body of a search."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

from trilha.core.web.json_values import plain_values
from trilha.scim.errors import refused

PAGE_SIZE = 100
_LARGEST = 2**31 - 1
_Number = Annotated[str, Meta(pattern="^[+-]?[0-9]{1,9}$", max_length=10)]
_OnlyNames = Annotated[str, Meta(max_length=4000, description="Only these attributes, separated by commas.")]
_OtherNames = Annotated[str, Meta(max_length=4000, description="All but these, separated by commas.")]
_Filter = Annotated[str, Meta(description="Only those that it holds for (RFC 7644 §3.4.2.2).")]
_Cursor = Annotated[
    str, Meta(max_length=1000, description="Pages by cursor (RFC 9865); empty for the first.")
]


class ShownQuery(Struct, frozen=True, kw_only=True, rename="camel"):
    """What every read takes. Parameters that are not known are passed over: providers add their own."""

    passes_over_unknown: ClassVar[bool] = True
    attributes: _OnlyNames | None = None
    excluded_attributes: _OtherNames | None = None


class ListQuery(ShownQuery, frozen=True, kw_only=True, rename="camel"):
    filter: _Filter | None = None
    sort_by: Annotated[str, Meta(max_length=200, description="The attribute to order by.")] | None = None
    sort_order: Annotated[str, Meta(description="`ascending` or `descending`.")] | None = None
    start_index: Annotated[_Number, Meta(description="The first of the page, counted from 1.")] | None = None
    count: Annotated[_Number, Meta(description="How many at most; 100 are the most.")] | None = None
    cursor: _Cursor | None = None


class DiscoveryQuery(Struct, frozen=True, kw_only=True):
    passes_over_unknown: ClassVar[bool] = True
    filter: Annotated[str, Meta(description="Refused: what a server can do is not filtered.")] | None = None


class Shown(Struct, frozen=True):
    """Which attributes are answered, in small letters: `only` these, or all `but` these."""

    only: frozenset[str] | None = None
    but: frozenset[str] = frozenset()

    @property
    def is_all(self) -> bool:
        return self.only is None and not self.but

    def has(self, name: str) -> bool:
        """Whether anything of this attribute is answered."""
        name = name.lower()
        if self.only is not None:
            return any(each == name or each.startswith(f"{name}.") for each in self.only)
        return name not in self.but


class Asked(Struct, frozen=True, kw_only=True):
    """A list that is asked for. `start` is counted from 1; `cursor` is empty for the first page."""

    filter: str | None
    sort_by: str | None
    descending: bool
    start: int
    count: int
    cursor: str | None
    shown: Shown


def shown(query: ShownQuery) -> Shown:
    return _shown(_split(query.attributes), _split(query.excluded_attributes))


def asked(query: ListQuery) -> Asked:
    """Raises ScimError."""
    return _asked(
        {
            "filter": query.filter,
            "sortby": query.sort_by,
            "sortorder": query.sort_order,
            "startindex": _number(query.start_index),
            "count": _number(query.count),
            "cursor": query.cursor,
        },
        shown(query),
    )


def asked_in(body: bytes) -> Asked:
    """What a search asks for (RFC 7644 §3.4.3). Raises ScimError."""
    given = {name.lower(): value for name, value in json_object(body).items()}
    for name, kind in _KINDS.items():
        value = given.get(name)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise refused("invalidValue", f"The search's {name} has the wrong type.")
    if any("\x00" in value for value in given.values() if isinstance(value, str)):
        raise refused("invalidValue")
    chosen = _shown(_names(given.get("attributes")), _names(given.get("excludedattributes")))
    return _asked(given, chosen)


_KINDS: Mapping[str, type] = {
    "filter": str,
    "sortby": str,
    "sortorder": str,
    "startindex": int,
    "count": int,
    "cursor": str,
    "attributes": list,
    "excludedattributes": list,
}


def json_object(body: bytes) -> dict[str, Any]:
    """Raises ScimError, and BadRequest (malformed_json)."""
    value = plain_values(body)
    if not isinstance(value, dict):
        raise refused("invalidSyntax", "The body is a JSON object.")
    return value


def _asked(given: Mapping[str, Any], chosen: Shown) -> Asked:
    order = (given.get("sortorder") or "ascending").lower()
    if order not in ("ascending", "descending"):
        raise refused("invalidValue", "The sortOrder is ascending or descending.")
    count = given.get("count")
    return Asked(
        filter=given.get("filter"),
        sort_by=given.get("sortby") or None,
        descending=order == "descending",
        start=min(max(given.get("startindex") or 1, 1), _LARGEST),
        count=PAGE_SIZE if count is None else min(max(count, 0), PAGE_SIZE),
        cursor=given.get("cursor"),
        shown=chosen,
    )


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _split(text: str | None) -> list[str]:
    return [] if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _names(value: Any) -> list[str]:
    names = value or []
    if not all(isinstance(each, str) for each in names):
        raise refused("invalidValue", "The names of attributes are text.")
    return list(names)


def _shown(only: Collection[str], but: Collection[str]) -> Shown:
    if only and but:
        raise refused("invalidValue", "Choose by attributes or by excludedAttributes.")
    return Shown(frozenset(map(str.lower, only)) if only else None, frozenset(map(str.lower, but)))
