"""Writes resources, without the library that reads request bodies, which is slow to import."""

import zlib
from collections.abc import Sequence
from typing import Any

import msgspec

from trilha.access.scim import urns
from trilha.access.scim.errors import ScimError
from trilha.access.scim.parameters import AttributeSelection
from trilha.core.errors import BadRequest
from trilha.core.types import to_json
from trilha.core.web.answers import Headers, WrittenAnswer
from trilha.core.web.request import Request

Resource = dict[str, Any]
CONTENT_TYPE = (b"content-type", urns.MEDIA_TYPE.encode())
_ALWAYS = ("schemas", "id")


PREFIX = "/scim/v2"


class BaseAddress(str):
    """The public address of /scim/v2."""

    __slots__ = ()


def etag(version: int, *content: object) -> str:
    """Returns a tag that differs whenever the content differs, whichever feature changed it."""
    return f'W/"{version}-{zlib.crc32(msgspec.msgpack.encode(content)):08x}"'


def select_attributes(resource: Resource, selection: AttributeSelection) -> Resource:
    """Returns the resource with the selected attributes; ids and schemas are always included."""
    if selection.is_all:
        return resource
    return {
        name: selected
        for name, value in resource.items()
        if (selected := value if name in _ALWAYS else _select_value(name, value, selection)) is not None
    }


def _select_value(name: str, value: Any, selection: AttributeSelection) -> Any:
    """Returns the selected part of an attribute, or None."""
    names = _spellings(name)
    if selection.only is not None:
        if any(spelling in selection.only for spelling in names):
            return value
        return _parts(name, value, lambda part: any(p in selection.only for p in _sub(name, part)))
    if any(spelling in selection.but for spelling in names):
        return None
    return _parts(name, value, lambda part: not any(p in selection.but for p in _sub(name, part)))


def _spellings(name: str) -> list[str]:
    low = name.lower()
    return (
        [low]
        if low.startswith("urn:")
        else [low, f"{urns.USER}:{low}".lower(), f"{urns.GROUP}:{low}".lower()]
    )


def _sub(name: str, part: str) -> list[str]:
    part = part.lower()
    if name in (urns.ENTERPRISE, urns.TRILHA):
        return [part, f"{name.lower()}:{part}", f"{name.lower()}:{part}.value"]
    return [f"{spelling}.{part}" for spelling in _spellings(name)]


def _parts(name: str, value: Any, is_selected: Any) -> Any:
    if isinstance(value, dict):
        return {part: content for part, content in value.items() if is_selected(part)} or None
    if isinstance(value, list) and value and isinstance(value[0], dict):
        entries = [{part: content for part, content in entry.items() if is_selected(part)} for entry in value]
        return [entry for entry in entries if entry] or None
    return value if not isinstance(value, (dict, list)) and _is_default(name, is_selected) else None


def _is_default(name: str, is_selected: Any) -> bool:
    """A simple value has no parts: it is included if the selection excludes attributes instead of naming
    them.
    """
    return bool(is_selected("\x00"))


def build_list(
    resources: Sequence[Resource], total: int, start: int | None, next_cursor: str | None
) -> Resource:
    """Builds a ListResponse. `start` is None for pages by cursor."""
    answer: Resource = {
        "schemas": [urns.LIST_RESPONSE],
        "totalResults": total,
        "itemsPerPage": len(resources),
    }
    if start is not None:
        answer["startIndex"] = start
    if next_cursor is not None:
        answer["nextCursor"] = next_cursor
    answer["Resources"] = resources
    return answer


def build_answer(value: Resource, status: int = 200, headers: Headers | None = None) -> WrittenAnswer[Any]:
    return WrittenAnswer(status, to_json(value), [CONTENT_TYPE, *(headers or [])])


def build_resource_answer(
    resource: Resource, selection: AttributeSelection, request: Request, status: int = 200
) -> WrittenAnswer[Any]:
    """Returns the resource with its version and, after creation, its location; or 304 if the client has this
    version.
    """
    meta = resource["meta"]
    headers = [(b"etag", meta["version"].encode())]
    if request.method in ("GET", "HEAD") and _has(request, b"if-none-match", meta["version"]):
        return WrittenAnswer(304, None, headers)
    if status == 201:
        headers.append((b"location", meta["location"].encode()))
    return build_answer(select_attributes(resource, selection), status, headers)


def check_precondition(request: Request, version: str) -> None:
    """Raises ScimError if the client's version is not the current one."""
    if request.all_headers(b"if-match") and not _has(request, b"if-match", version):
        raise ScimError(412, "The resource has changed since this version. Read it again.")


def _has(request: Request, header: bytes, version: str) -> bool:
    """Compares entity tags weakly (RFC 9110 section 8.8.3.2)."""
    tags = [tag.strip() for value in request.all_headers(header) for tag in value.split(",")]
    return "*" in tags or version.removeprefix("W/") in [tag.removeprefix("W/") for tag in tags]


def check_media_type(request: Request) -> None:
    """Raises BadRequest (unsupported_media_type)."""
    if request.media_type not in (urns.MEDIA_TYPE, "application/json"):
        raise BadRequest("unsupported_media_type")
