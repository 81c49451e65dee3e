"""Parameters of a list: filter, order, page and attributes, from a query or from a search body."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

from trilha.access.scim.errors import build_error
from trilha.core.web.json_values import plain_values

PAGE_SIZE = 100
_LARGEST = 2**31 - 1
_Number = Annotated[str, Meta(pattern="^[+-]?[0-9]{1,9}$", max_length=10)]
_OnlyNames = Annotated[str, Meta(max_length=4000, description="Attributes to return, separated by commas.")]
_OtherNames = Annotated[
    str, Meta(max_length=4000, description="Attributes to leave out, separated by commas.")
]
_Filter = Annotated[str, Meta(description="Returns resources that match this filter (RFC 7644 §3.4.2.2).")]
_Cursor = Annotated[
    str, Meta(max_length=1000, description="The cursor of a page (RFC 9865); empty for the first page.")
]


class AttributesQuery(Struct, frozen=True, kw_only=True, rename="camel"):
    """Parameters of every read. Unknown parameters are ignored, because providers add their own."""

    passes_over_unknown: ClassVar[bool] = True
    attributes: _OnlyNames | None = None
    excluded_attributes: _OtherNames | None = None


class ListQuery(AttributesQuery, frozen=True, kw_only=True, rename="camel"):
    filter: _Filter | None = None
    sort_by: Annotated[str, Meta(max_length=200, description="The attribute to sort by.")] | None = None
    sort_order: Annotated[str, Meta(description="`ascending` or `descending`.")] | None = None
    start_index: (
        Annotated[_Number, Meta(description="The number of the page's first row, counted from 1.")] | None
    ) = None
    count: (
        Annotated[_Number, Meta(description="The maximum number of results per page, up to 100.")] | None
    ) = None
    cursor: _Cursor | None = None


class DiscoveryQuery(Struct, frozen=True, kw_only=True):
    passes_over_unknown: ClassVar[bool] = True
    filter: Annotated[str, Meta(description="Not supported: a filter is refused.")] | None = None


class AttributeSelection(Struct, frozen=True):
    """The attributes to return, in lower case: `only` these, or all `but` these."""

    only: frozenset[str] | None = None
    but: frozenset[str] = frozenset()

    @property
    def is_all(self) -> bool:
        return self.only is None and not self.but

    def has(self, name: str) -> bool:
        """Returns whether any part of this attribute is selected."""
        name = name.lower()
        if self.only is not None:
            return any(attribute == name or attribute.startswith(f"{name}.") for attribute in self.only)
        return name not in self.but


class ListRequest(Struct, frozen=True, kw_only=True):
    """A request for a list. `start` is counted from 1; `cursor` is empty for the first page."""

    filter: str | None
    sort_by: str | None
    descending: bool
    start: int
    count: int
    cursor: str | None
    selection: AttributeSelection


def read_selection(query: AttributesQuery) -> AttributeSelection:
    return _build_selection(_split(query.attributes), _split(query.excluded_attributes))


def read_list_request(query: ListQuery) -> ListRequest:
    """Reads the query. Raises ScimError."""
    return _build_list_request(
        {
            "filter": query.filter,
            "sortby": query.sort_by,
            "sortorder": query.sort_order,
            "startindex": _number(query.start_index),
            "count": _number(query.count),
            "cursor": query.cursor,
        },
        read_selection(query),
    )


def read_search_request(body: bytes) -> ListRequest:
    """Reads the body of a search (RFC 7644 §3.4.3). Raises ScimError."""
    members = {name.lower(): value for name, value in json_object(body).items()}
    for name, kind in _KINDS.items():
        value = members.get(name)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise build_error("invalidValue", f"The search's {name} has the wrong type.")
    if any("\x00" in value for value in members.values() if isinstance(value, str)):
        raise build_error("invalidValue")
    selection = _build_selection(_names(members.get("attributes")), _names(members.get("excludedattributes")))
    return _build_list_request(members, selection)


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
    """Returns the body as an object. Raises ScimError or BadRequest (malformed_json)."""
    value = plain_values(body)
    if not isinstance(value, dict):
        raise build_error("invalidSyntax", "The body must be a JSON object.")
    return value


def _build_list_request(members: Mapping[str, Any], selection: AttributeSelection) -> ListRequest:
    order = (members.get("sortorder") or "ascending").lower()
    if order not in ("ascending", "descending"):
        raise build_error("invalidValue", "The sortOrder must be ascending or descending.")
    count = members.get("count")
    return ListRequest(
        filter=members.get("filter"),
        sort_by=members.get("sortby") or None,
        descending=order == "descending",
        start=min(max(members.get("startindex") or 1, 1), _LARGEST),
        count=PAGE_SIZE if count is None else min(max(count, 0), PAGE_SIZE),
        cursor=members.get("cursor"),
        selection=selection,
    )


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _split(text: str | None) -> list[str]:
    return [] if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _names(value: Any) -> list[str]:
    names = value or []
    if not all(isinstance(name, str) for name in names):
        raise build_error("invalidValue", "The names of attributes must be text.")
    return list(names)


def _build_selection(only: Collection[str], but: Collection[str]) -> AttributeSelection:
    if only and but:
        raise build_error("invalidValue", "Use either attributes or excludedAttributes, not both.")
    return AttributeSelection(
        frozenset(map(str.lower, only)) if only else None, frozenset(map(str.lower, but))
    )
