"""JSON Schemas of Structs, and example values."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from inspect import cleandoc
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.types import schema_hook

REF = "#/components/schemas/{name}"
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_FALLBACKS: dict[str, Any] = {"boolean": True, "null": None}
_NULL = {"type": "null"}
# Schema names for the names of Structs. Generators create a constructor `NewUser` for `User`, so no schema
# may have such a name.
_NAMES = (
    (r"^Page_(\w+)_$", r"\1List"),
    (r"^Envelope_list_(?:\w+\.)*(\w+)__$", r"\1ListEnvelope"),
    (r"^(\w+?)_(\w+)_$", r"\2\1"),
    (r"^New(\w+)$", r"\1Create"),
    (r"^(\w+)Patch$", r"\1Update"),
)


def schemas_of(kinds: Sequence[Any]) -> dict[str, Any]:
    """Returns the schemas of these types and of everything inside them, by name."""
    _, components = msgspec.json.schema_components(kinds, schema_hook=schema_hook, ref_template=REF)
    schemas = {schema_name(name): _tidy(schema) for name, schema in components.items()}
    assert len(schemas) == len(components), "two schemas have one name"
    return schemas


def schema_name(name: str) -> str:
    """Returns a schema's name: `NewUser` becomes `UserCreate`, `UserPatch` becomes `UserUpdate`,
    `Page_User_` becomes `UserList`.
    """
    for pattern, replacement in _NAMES:
        if re.match(pattern, name):
            return re.sub(pattern, replacement, name)
    return name


def schema_of(kind: Any) -> dict[str, Any]:
    """Returns a copy of the schema that the caller may change."""
    return dict(_schema_of(kind))


@cache
def _schema_of(kind: Any) -> Any:
    # The body of an error is requested for every failure of every operation.
    (schema,), _ = msgspec.json.schema_components([kind], schema_hook=schema_hook, ref_template=REF)
    return _tidy(schema)


def flat_schema(kind: type[Struct]) -> dict[str, Any]:
    """Returns the complete schema of a Struct without nested Structs."""
    _, components = msgspec.json.schema_components([kind], schema_hook=schema_hook)
    (schema,) = components.values()
    return dict(_tidy(schema))


def without_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "oneOf" in schema:
        return dict(schema["oneOf"][0])
    if not isinstance(schema.get("type"), list):
        return schema
    (kind,) = (each for each in schema["type"] if each != "null")
    bare = {**schema, "type": kind}
    if "enum" in schema:
        bare["enum"] = [value for value in schema["enum"] if value is not None]
    return bare


def example_id(name: str) -> str:
    """Returns the id of `name` in all examples, so that examples refer to each other."""
    return str(UUID(bytes=hashlib.sha256(name.encode()).digest()[:16], version=4))


def example(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str = "") -> Any:
    """Returns an example of this schema. `name` is the member it belongs to."""
    if "examples" in schema:
        return schema["examples"][0]
    if "const" in schema:
        return schema["const"]
    if "$ref" in schema:
        component = schema["$ref"].rpartition("/")[2]
        return example(schemas[component], schemas, re.sub(r"(?<!^)(?=[A-Z])", "_", component).lower())
    if "oneOf" in schema:
        return example(schema["oneOf"][0], schemas, name)
    if "enum" in schema:
        return schema["enum"][0]
    return _plain(schema, schemas, name)


def _plain(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str) -> Any:
    kinds = schema.get("type")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if kind == "object":
        members = schema.get("properties", {})
        return {
            each: example(member, schemas, f"{name}_id" if each == "id" else each)
            for each, member in members.items()
            if each != "$ref"  # tools take it for a reference anywhere
        }
    if kind == "array":
        return [example(schema["items"], schemas, name)]
    if kind == "string":
        return example_id(name) if schema.get("format") == "uuid" else "text"
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return _FALLBACKS[str(kind)]


def _tidy(schema: Any) -> Any:
    """Simplifies a schema for readers and generators: no titles, no null defaults, one example."""
    if isinstance(schema, list):
        return [_tidy(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    tidy: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "$ref" and isinstance(value, str):  # a member may have that name
            start, _, name = value.rpartition("/")
            tidy[key] = f"{start}/{schema_name(name)}"
        elif key == "description" and isinstance(value, str):
            tidy[key] = cleandoc(value)
        elif key == "examples":
            # The example of a member follows that of its type.
            tidy[key] = value[-1:]
        elif not (key == "title" and isinstance(value, str)) and not (key == "default" and value is None):
            tidy[key] = _tidy(value)
    return _in_one(_add_type(tidy))


# A Struct's member may be called `enum` or `anyOf`. Then the value is its schema.


def _add_type(schema: dict[str, Any]) -> dict[str, Any]:
    if "type" not in schema and isinstance(schema.get("enum"), list):
        schema["type"] = _type_of(schema["enum"])
    elif "type" not in schema and "const" in schema and not isinstance(schema["const"], dict):
        schema["type"] = _type_of([schema["const"]])
    return schema


def _in_one(schema: dict[str, Any]) -> dict[str, Any]:
    """Merges a union into one schema: for unions, generators create classes that do not compile or that
    fail on null.
    """
    arms = schema.get("anyOf")
    if not isinstance(arms, list):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    others = [arm for arm in arms if arm != _NULL]
    if len(others) > 1:
        return rest  # any type, so the description has to list them
    (other,) = others
    if "$ref" in other:
        return {**rest, "oneOf": [other, _NULL]}
    one = {**other, **rest, "type": [other["type"], "null"]}
    if "enum" in other:
        one["enum"] = [*other["enum"], None]
    return one


def _type_of(values: Sequence[Any]) -> str | list[str]:
    """Returns the type of an enum or a constant, which client generators require."""
    found = sorted({_TYPES[type(value)] for value in values}, key=lambda kind: (kind == "null", kind))
    return found[0] if len(found) == 1 else found
