"""Resources as they are answered: written here, without the library that bodies are read with."""

import zlib
from collections.abc import Sequence
from typing import Any

import msgspec

from trilha.core.errors import BadRequest
from trilha.core.types import to_json
from trilha.core.web.answers import Headers, Written
from trilha.core.web.request import Request
from trilha.scim import urns
from trilha.scim.errors import ScimError
from trilha.scim.parameters import Shown

Resource = dict[str, Any]
CONTENT_TYPE = (b"content-type", urns.MEDIA_TYPE.encode())
_ALWAYS = ("schemas", "id")


class BaseAddress(str):
    """Where the outside reaches /scim/v2."""

    __slots__ = ()


def etag(version: int, *content: object) -> str:
    """Another one whenever what is shown differs, wherever it was changed."""
    return f'W/"{version}-{zlib.crc32(msgspec.msgpack.encode(content)):08x}"'


def narrowed(resource: Resource, shown: Shown) -> Resource:
    """The resource with the attributes that are asked for; ids and schemas always."""
    if shown.is_all:
        return resource
    return {
        name: kept
        for name, value in resource.items()
        if (kept := value if name in _ALWAYS else _kept(name, value, shown)) is not None
    }


def _kept(name: str, value: Any, shown: Shown) -> Any:
    """What is shown of an attribute; None for nothing."""
    names = _spellings(name)
    if shown.only is not None:
        if any(each in shown.only for each in names):
            return value
        return _parts(name, value, lambda part: any(p in shown.only for p in _sub(name, part)))
    if any(each in shown.but for each in names):
        return None
    return _parts(name, value, lambda part: not any(p in shown.but for p in _sub(name, part)))


def _spellings(name: str) -> list[str]:
    low = name.lower()
    return (
        [low]
        if low.startswith("urn:")
        else [low, f"{urns.USER}:{low}".lower(), f"{urns.GROUP}:{low}".lower()]
    )


def _sub(name: str, part: str) -> list[str]:
    part = part.lower()
    if name == urns.ENTERPRISE:
        return [part, f"{name.lower()}:{part}", f"{name.lower()}:{part}.value"]
    return [f"{each}.{part}" for each in _spellings(name)]


def _parts(name: str, value: Any, wanted: Any) -> Any:
    if isinstance(value, dict):
        return {part: each for part, each in value.items() if wanted(part)} or None
    if isinstance(value, list) and value and isinstance(value[0], dict):
        entries = [{part: each for part, each in entry.items() if wanted(part)} for entry in value]
        return [entry for entry in entries if entry] or None
    return value if not isinstance(value, (dict, list)) and _is_default(name, wanted) else None


def _is_default(name: str, wanted: Any) -> bool:
    """Of a single value there is no part: it is shown where all but some are."""
    return bool(wanted("\x00"))


def listed(resources: Sequence[Resource], total: int, start: int | None, next_cursor: str | None) -> Resource:
    """A ListResponse; `start` is None on pages by cursor."""
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


def answered(value: Resource, status: int = 200, headers: Headers | None = None) -> Written[Any]:
    return Written(status, to_json(value), [CONTENT_TYPE, *(headers or [])])


def answered_one(resource: Resource, shown: Shown, request: Request, status: int = 200) -> Written[Any]:
    """With its version, and where it is once it is made. 304 to who has it already."""
    meta = resource["meta"]
    headers = [(b"etag", meta["version"].encode())]
    if request.method in ("GET", "HEAD") and _has(request, b"if-none-match", meta["version"]):
        return Written(304, None, headers)
    if status == 201:
        headers.append((b"location", meta["location"].encode()))
    return answered(narrowed(resource, shown), status, headers)


def check_precondition(request: Request, version: str) -> None:
    """Raises ScimError where the caller changes another version than there is."""
    if request.all_headers(b"if-match") and not _has(request, b"if-match", version):
        raise ScimError(412, "The resource has changed since this version.")


def _has(request: Request, header: bytes, version: str) -> bool:
    """Compared weakly (RFC 9110 section 8.8.3.2): so are versions of a representation."""
    sent = [each.strip() for value in request.all_headers(header) for each in value.split(",")]
    return "*" in sent or version.removeprefix("W/") in [each.removeprefix("W/") for each in sent]


def check_media_type(request: Request) -> None:
    """Raises BadRequest (unsupported_media_type)."""
    if request.media_type not in (urns.MEDIA_TYPE, "application/json"):
        raise BadRequest("unsupported_media_type")
