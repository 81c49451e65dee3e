"""The schemas of the description's components."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from trilha.core.openapi.json_schema import schema_name, schemas_of, without_null
from trilha.core.types import to_json
from trilha.core.web.answers import Answer
from trilha.core.web.pagination import data_of
from trilha.core.web.routes import Route


def component_schemas(routes: Sequence[Route], others: Sequence[type[Struct]] = ()) -> dict[str, Any]:
    """Returns the schemas of everything that the routes receive and return, and of `others`."""
    kinds: list[Any] = [*others]
    for route in routes:
        kinds += [
            kind
            for kind in (
                *(route.described_body, route.described_form, route.accepted),
                None if route.media_type else route.result,
            )
            if kind is not None and _is_described(kind)
        ]
    schemas = schemas_of(kinds)
    for route in routes:
        if route.described_form is not None:
            name = schema_name(route.described_form.__name__)
            schemas[name] = _form(schemas[name])
    return schemas


def _form(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a schema as a form sends it: nothing is null, and unknown fields are text that occurs once."""
    members = {name: without_null(each) for name, each in schema["properties"].items()}
    return {"additionalProperties": {"type": "string"}, **schema, "properties": members}


def _is_described(kind: Any) -> bool:
    """Returns whether a type has a schema. Structs have one; pages and files do not."""
    return kind is not None and not (isinstance(kind, type) and issubclass(kind, (Answer, type(None))))


def takes_fields(route: Route) -> bool:
    return "fields" in route.query.__struct_fields__


def partly(schemas: Mapping[str, Any], routes: Sequence[Route]) -> dict[str, Any]:
    """Makes members optional that `fields` can leave out; only `id` is always there.

    The whole object and its parts share one schema, so that operations return the same type in clients.
    `x-required-without-fields` lists the members that are there if a call does not choose.
    """
    found = dict(schemas)
    for name in {schema_name(data_of(route.result).__name__) for route in routes if takes_fields(route)}:
        whole = {key: value for key, value in schemas[name].items() if key != "required"}
        has_id = "id" in whole["properties"]
        told = f"With `fields`, only the members that it names{', and `id`' if has_id else ''}."
        whole["description"] = f"{whole.get('description', '')}\n\n{told}".strip()
        whole["x-required-without-fields"] = schemas[name].get("required", [])
        found[name] = whole | ({"required": ["id"]} if has_id else {})
    return found


def select_used(kind: str, components: Mapping[str, Any], *places: Any) -> dict[str, Any]:
    """Keeps the components that are referred to, directly or by others. Unused components only confuse."""
    found: set[str] = set()
    new = _find_references(kind, places)
    while new:
        found |= new
        new = _find_references(kind, [components[name] for name in new]) - found
    return {name: component for name, component in components.items() if name in found}


def _find_references(kind: str, places: Any) -> set[str]:
    return set(re.findall(rf'"#/components/{kind}/([^"]+)"', to_json(places).decode()))
