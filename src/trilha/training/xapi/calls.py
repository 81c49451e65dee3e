"""A request to the store, in its usual form or in the alternate syntax of version 1.0.3.

In the alternate syntax, browsers without CORS send every request as a POST with the real method in the query
string, and with parameters, headers and content as fields of a form.
"""

import asyncio
import re
from collections.abc import Mapping

from msgspec import Struct, structs

from trilha.core.errors import ApiError
from trilha.core.web.request import FORM, Request, unquote
from trilha.training.xapi.errors import refuse
from trilha.training.xapi.parameters import Parameters, split_query

FIRST_VERSION, SECOND_VERSION = "1.0.3", "2.0.0"
# Clients of version 0.95 and older send no version.
_NO_VERSION = "0.95"
VERSION_HEADER = b"x-experience-api-version"
_VERSION = re.compile(r"(1|2)\.0(?:\.\d{1,9})?", re.ASCII)
_METHODS = ("GET", "PUT", "POST", "DELETE")
_FORM_HEADERS = {
    name.lower(): name
    for name in (
        *("Authorization", "X-Experience-API-Version", "Content-Type", "Content-Length", "If-Match"),
        *("If-None-Match", "Accept-Language"),
    )
}
MAX_BODY = 16 * 1024 * 1024
_ANSWERED_VERSIONS = {"1": FIRST_VERSION, "2": SECOND_VERSION}


class Call(Struct, frozen=True):
    """A request. Names of headers are in lower case; `content` is None until it is read."""

    method: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None = None

    @property
    def version(self) -> str | None:
        """The version that answers; None if the client names none that is supported."""
        match = _VERSION.fullmatch(self.headers.get(VERSION_HEADER.decode(), "").strip())
        return _ANSWERED_VERSIONS[match[1]] if match else None

    @property
    def is_second(self) -> bool:
        return self.version == SECOND_VERSION

    @property
    def answered_version(self) -> str:
        """The version for the header of the answer."""
        if self.version is not None:
            return self.version
        return SECOND_VERSION if VERSION_HEADER.decode() in self.headers else _NO_VERSION

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    @property
    def media_type(self) -> str:
        return self.content_type.partition(";")[0].strip().lower()

    def read_parameters(self, *allowed: str) -> Parameters:
        return Parameters(self.parameters, allowed)

    def list_tags(self, header: str) -> list[str]:
        """Returns the entity tags of a header, without quotes. If-Match never matches a weak one."""
        tags = [tag.strip() for tag in self.headers.get(header, "")[:4000].split(",") if tag.strip()]
        if header == "if-none-match":
            tags = [tag.removeprefix("W/") for tag in tags]
        return [tag.strip('"') for tag in tags]


async def read_call(request: Request, *, with_content: bool = True) -> Call:
    """Reads the request's parameters and headers, and its content if that is a form with all of them.

    While the caller is unknown, read it without the content: a long one takes long to decode. Raises
    ApiError.
    """
    headers = _read_headers(request)
    call = Call(request.method, split_query(request.query), headers)
    if request.method != "POST" or "method" not in call.parameters or request.route is None:
        return call
    if call.is_second or call.media_type != FORM:
        raise _build_refusal()
    fields, content = _split_form(await request.body(request.route.max_body))
    alternate = _read_alternate(call, fields, has_content=content is not None)
    if alternate.is_second:
        raise _build_refusal()
    if with_content and content:
        return structs.replace(alternate, content=await asyncio.to_thread(_decode, content))
    return alternate


def _build_refusal() -> ApiError:
    return refuse("invalid_xapi_parameter", "The alternate request syntax is not supported here.")


def _read_headers(request: Request) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in request.headers:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _read_alternate(call: Call, fields: dict[str, str], *, has_content: bool) -> Call:
    method = call.parameters["method"]
    if len(call.parameters) > 1 or method not in _METHODS:
        raise refuse("invalid_xapi_parameter", "The query string may only have the method.")
    if method in ("PUT", "POST") and not has_content:
        raise refuse("invalid_xapi_parameter", "The form has no field named content.")
    sent = {name.lower(): fields.pop(name) for name in list(fields) if name.lower() in _FORM_HEADERS}
    headers = {**call.headers, "content-type": "application/json", **sent}
    return structs.replace(call, method=method, parameters=fields, headers=headers, content=b"")


def _split_form(body: bytes) -> tuple[dict[str, str], bytes | None]:
    """Returns the fields of a form, and the value of its field `content`, with its escapes."""
    content = None
    fields = []
    for pair in body.split(b"&", 60):
        if pair.startswith(b"content="):
            content = pair.removeprefix(b"content=")
        else:
            fields.append(pair)
    return split_query(b"&".join(fields).decode("latin-1")), content


def _decode(content: bytes) -> bytes:
    decoded = unquote(content.replace(b"+", b" "))
    try:
        decoded.decode()
    except UnicodeDecodeError:
        raise refuse("invalid_xapi_parameter", "The content is not encoded as UTF-8.") from None
    return decoded


def check_version(call: Call) -> None:
    """Raises ApiError unless the client names a supported version."""
    if call.version is None:
        raise refuse("xapi_version_unsupported", "Send the header X-Experience-API-Version: 1.0.3 or 2.0.0.")
