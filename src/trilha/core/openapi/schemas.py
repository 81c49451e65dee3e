"""The shapes of what goes in and out, as JSON Schema."""

import re
from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct

from trilha.core.errors import ErrorEnvelope, Problem
from trilha.core.http import Route
from trilha.core.types import schema_hook

REF = "#/components/schemas/{name}"


def component_schemas(routes: Sequence[Route], others: Sequence[type[Struct]] = ()) -> dict[str, Any]:
    """Of all that the routes take and answer, and of `others`."""
    kinds: list[Any] = [ErrorEnvelope, Problem, *others]
    for route in routes:
        kinds += [kind for kind in (route.body, route.result) if kind not in (None, type(None))]
    _, components = msgspec.json.schema_components(kinds, schema_hook=schema_hook, ref_template=REF)
    schemas = {_readable(name): _tidy(schema) for name, schema in components.items()}
    for route in routes:
        if takes_fields(route):
            schemas |= _parts(route, schemas)
    return schemas


def _readable(name: str) -> str:
    """`Page_User_` as `UserPage`."""
    return re.sub(r"^(\w+?)_(\w+)_$", r"\2\1", name)


def _tidy(schema: Any) -> Any:
    """As people and generators like to read it: no titles, no default of null, one example."""
    if isinstance(schema, list):
        return [_tidy(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    tidy = {}
    for key, value in schema.items():
        if key == "$ref":
            start, _, name = value.rpartition("/")
            tidy[key] = f"{start}/{_readable(name)}"
        elif key == "description" and isinstance(value, str):
            tidy[key] = cleandoc(value)
        elif key == "examples":
            # A member's own example comes after its type's.
            tidy[key] = value[-1:]
        elif not (key == "title" and isinstance(value, str)) and not (key == "default" and value is None):
            tidy[key] = _tidy(value)
    return tidy


def schema_of(kind: Any) -> Any:
    (schema,), _ = msgspec.json.schema_components([kind], schema_hook=schema_hook, ref_template=REF)
    return _tidy(schema)


def flat_schema(kind: type[Struct]) -> dict[str, Any]:
    """The schema of a Struct that has no Struct inside, whole and without a reference."""
    _, components = msgspec.json.schema_components([kind], schema_hook=schema_hook)
    (schema,) = components.values()
    return dict(_tidy(schema))


def takes_fields(route: Route) -> bool:
    return "fields" in route.query.__struct_fields__


def _parts(route: Route, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """What is answered when `fields` leaves members out: only `id` is certain."""
    (kind,) = get_args(route.result)
    part, shell = f"{kind.__name__}Part", get_origin(route.result).__name__
    whole = schemas[kind.__name__]
    reference = {"$ref": REF.format(name=part)}
    envelope = schemas[f"{kind.__name__}{shell}"]
    data = {"type": "array", "items": reference} if shell == "Page" else reference
    return {
        part: {
            **whole,
            "description": f"The members of {kind.__name__} that `fields` names, and `id`.",
            "required": ["id"],
        },
        part + shell: {**envelope, "properties": {**envelope["properties"], "data": data}},
    }


def part_of(whole: Mapping[str, str]) -> dict[str, str]:
    """The reference to what is answered in place of this one where `fields` leaves members out."""
    return {"$ref": re.sub(r"(Page|Envelope)$", r"Part\1", whole["$ref"])}


def without_null(schema: dict[str, Any]) -> dict[str, Any]:
    arms = [arm for arm in schema.get("anyOf", []) if arm != {"type": "null"}]
    if arms:
        return dict(arms[0]) if len(arms) == 1 else {**schema, "anyOf": arms}
    if "enum" in schema and None in schema["enum"]:
        return {**schema, "enum": [value for value in schema["enum"] if value is not None]}
    return schema
