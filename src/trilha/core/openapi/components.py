"""The schemas that the description names, whole and in part."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_origin

from msgspec import Struct

from trilha.core.openapi.json_schema import REF, schemas_of, without_null
from trilha.core.web.answers import Answer
from trilha.core.web.pagination import data_of
from trilha.core.web.routes import Route


def component_schemas(routes: Sequence[Route], others: Sequence[type[Struct]] = ()) -> dict[str, Any]:
    """Of all that the routes take and answer, and of `others`."""
    kinds: list[Any] = [*others]
    for route in routes:
        kinds += [
            kind
            for kind in (route.described_body, None if route.media_type else route.result)
            if kind is not None and _is_described(kind)
        ]
    schemas = schemas_of(kinds)
    for route in routes:
        if route.form is not None:
            schemas[route.form.__name__] = _form(schemas[route.form.__name__])
        if takes_fields(route):
            schemas |= _parts(route, schemas)
    return schemas


def _form(schema: dict[str, Any]) -> dict[str, Any]:
    """As a form has it: nothing is null, and what is more than known is text, each once."""
    members = {name: without_null(each) for name, each in schema["properties"].items()}
    return {"additionalProperties": {"type": "string"}, **schema, "properties": members}


def _is_described(kind: Any) -> bool:
    """Whether it has a schema: a Struct has, a page or a file has none."""
    return kind is not None and not (isinstance(kind, type) and issubclass(kind, (Answer, type(None))))


def takes_fields(route: Route) -> bool:
    return "fields" in route.query.__struct_fields__


def _parts(route: Route, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """What is answered when `fields` leaves members out: only `id` is certain."""
    kind = data_of(route.result)
    part, shell = f"{kind.__name__}Part", get_origin(route.result).__name__
    whole = schemas[kind.__name__]
    has_id = "id" in whole["properties"]
    and_id = ", and `id`" if has_id else ""
    reference = {"$ref": REF.format(name=part)}
    envelope = schemas[f"{kind.__name__}{shell}"]
    data = {"type": "array", "items": reference} if shell == "Page" else reference
    return {
        part: {
            **whole,
            "description": f"The members of {kind.__name__} that `fields` names{and_id}.",
            "required": ["id"] if has_id else [],
        },
        part + shell: {**envelope, "properties": {**envelope["properties"], "data": data}},
    }


def part_of(whole: Mapping[str, str]) -> dict[str, str]:
    """The reference to what is answered in place of this one where `fields` leaves members out."""
    return {"$ref": re.sub(r"(Page|Envelope)$", r"Part\1", whole["$ref"])}
