"""Reads a handler's arguments from the request and reports all problems at once."""

from collections.abc import Callable
from datetime import date
from typing import Any

from msgspec import Struct

from trilha.core.errors import BadRequest, Invalid, Problem
from trilha.core.types import FieldNames
from trilha.core.web.callers import Caller
from trilha.core.web.idempotency import check_key
from trilha.core.web.large_bodies import parse_large
from trilha.core.web.pagination import check_fields
from trilha.core.web.parsing import convert_text, limit_problems, parse_body, parse_query, parse_right
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, NoBody, NoQuery, RawBody, Route
from trilha.core.web.surface import Surface
from trilha.core.web.uploads import UploadedFile, read_multipart

# bytes; fifty enrollments take about 5 KB, a thousand 100 KB
LARGE_BODY = 32 * 1024
_READ_HERE = 256 * 1024


class Arguments(Struct):
    """The arguments of a handler. `fields` are the requested members, `key` is the Idempotency-Key."""

    query: Any = None
    data: Any = None
    form: Any = None
    fields: FieldNames | None = None
    key: str | None = None


class Problems:
    """Collects problems, so that one response lists all of them."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def collect(self, parse: Callable[..., Any], *arguments: Any) -> Any:
        """Returns the result of `parse`, or None if it raises Invalid."""
        try:
            return parse(*arguments)
        except Invalid as error:
            self.found += error.detail
            return None


async def read_arguments(
    surface: Surface, route: Route, request: Request, caller: Caller, today: date
) -> Arguments:
    """Reads the arguments. Raises BadRequest, and Invalid with the problems of query, headers and body.

    If a form does not pass its surface's guard, the guard's error is raised before any other problem is
    reported.
    """
    read, problems = Arguments(), Problems()
    if route.query is not AnyQuery and (request.query or route.query is not NoQuery):
        blanks = not surface.drops_blanks
        read.query = problems.collect(parse_query, route.query, request.query, today, blanks)
        if asked := getattr(read.query, "fields", None):
            read.fields = problems.collect(check_fields, asked, route.result)
    if surface.takes_idempotency_key(route) and (sent := request.all_headers(b"idempotency-key")):
        # two headers would be ambiguous
        read.key = problems.collect(check_key, sent[0] if len(sent) == 1 else "")
    if route.takes_form(request):
        read.form = await _read_form(surface, route, request, caller, today, problems)
    elif route.data is not None or request.announces_body:
        read.data = await _read_data(surface, route, request, today, problems)
    if problems.found:
        raise Invalid(limit_problems(problems.found))
    return read


async def _read_data(
    surface: Surface, route: Route, request: Request, today: date, problems: Problems
) -> Struct | None:
    """Reads the JSON body. A route without a body accepts an empty one or an empty object."""
    body = await request.body(route.max_body)
    if route.data is not None and issubclass(route.data, RawBody):
        return route.data(body)
    if route.data is None:
        if body.strip():
            problems.collect(parse_body, NoBody, body, today)
        return None
    if not body and getattr(route.data, "may_be_left_out", False):
        return route.data()
    if request.media_type not in ("application/json", surface.media_type):
        raise BadRequest("unsupported_media_type")
    if len(body) > LARGE_BODY:
        return await _read_large(route.data, body, today, problems)
    data: Struct | None = problems.collect(parse_body, route.data, body, today)
    return data


async def _read_large(kind: type[Struct], body: bytes, today: date, problems: Problems) -> Struct | None:
    """Parses correct bodies of moderate size here, which takes half a millisecond, and all others in
    another process.
    """
    if len(body) <= _READ_HERE and (data := parse_right(kind, body, today)) is not None:
        return data
    try:
        return await parse_large(kind, body, today)
    except Invalid as error:
        problems.found += error.detail
        return None


def _is_blank(value: Any) -> bool:
    """Returns whether a field counts as left out: empty text, or the part that browsers send if no file
    was chosen.
    """
    return value == "" or (isinstance(value, UploadedFile) and not value.filename and not value.size)


async def _read_form(
    surface: Surface, route: Route, request: Request, caller: Caller, today: date, problems: Problems
) -> Struct | None:
    fields: dict[str, Any]
    try:
        if route.takes_files:
            fields = {
                name: value
                for name, value in (await read_multipart(request, route.max_upload or route.max_body)).items()
                if not _is_blank(value)
            }
        else:
            fields = dict(await request.form(route.max_body, route.lists))
    except Invalid as error:
        problems.found += error.detail
        return None
    surface.forms(request, caller, fields)
    request.sent = fields
    assert route.form is not None
    form: Struct | None = problems.collect(convert_text, route.form, fields, today)
    return form
