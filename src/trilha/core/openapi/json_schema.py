"""JSON Schemas of Structs, and a value that illustrates each."""

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
# What a Struct is called in Python, and its schema in a description. Generators make a constructor `NewUser`
# for `User`, so no schema may have such a name.
_NAMES = (
    (r"^Page_(\w+)_$", r"\1List"),
    (r"^(\w+?)_(\w+)_$", r"\2\1"),
    (r"^New(\w+)$", r"\1Create"),
    (r"^(\w+)Patch$", r"\1Update"),
)


def schemas_of(kinds: Sequence[Any]) -> dict[str, Any]:
    """Of all of these, and of whatever is in them, by name."""
    _, components = msgspec.json.schema_components(kinds, schema_hook=schema_hook, ref_template=REF)
    schemas = {schema_name(name): _tidy(schema) for name, schema in components.items()}
    assert len(schemas) == len(components), "two schemas have one name"
    return schemas


def schema_name(name: str) -> str:
    """`NewUser` is `UserCreate`, `UserPatch` is `UserUpdate`, `Page_User_` is `UserList`."""
    for pattern, replacement in _NAMES:
        if re.match(pattern, name):
            return re.sub(pattern, replacement, name)
    return name


def schema_of(kind: Any) -> dict[str, Any]:
    """The caller's own, to add members to and take some away."""
    return dict(_schema_of(kind))


@cache
def _schema_of(kind: Any) -> Any:
    # The body of an error is asked for with every way in which every operation fails.
    (schema,), _ = msgspec.json.schema_components([kind], schema_hook=schema_hook, ref_template=REF)
    return _tidy(schema)


def flat_schema(kind: type[Struct]) -> dict[str, Any]:
    """The schema of a Struct that has no Struct inside, whole and without a reference."""
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
    """The id that stands for `name` in every example, so that one example's user is another's."""
    return str(UUID(bytes=hashlib.sha256(name.encode()).digest()[:16], version=4))


def example(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str = "") -> Any:
    """A value of this schema. `name` is the member it belongs to."""
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
            if each != "$ref"  # tools take it for a reference wherever it stands
        }
    if kind == "array":
        return [example(schema["items"], schemas, name)]
    if kind == "string":
        return example_id(name) if schema.get("format") == "uuid" else "text"
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return _FALLBACKS[str(kind)]


def _tidy(schema: Any) -> Any:
    """As people and generators like to read it: no titles, no default of null, one example."""
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
            # A member's own example comes after its type's.
            tidy[key] = value[-1:]
        elif not (key == "title" and isinstance(value, str)) and not (key == "default" and value is None):
            tidy[key] = _tidy(value)
    return _in_one(_typed(tidy))


# A member of a Struct may be called `enum` or `anyOf`: then the value is its schema, neither list nor text.


def _typed(schema: dict[str, Any]) -> dict[str, Any]:
    if "type" not in schema and isinstance(schema.get("enum"), list):
        schema["type"] = _type_of(schema["enum"])
    elif "type" not in schema and "const" in schema and not isinstance(schema["const"], dict):
        schema["type"] = _type_of([schema["const"]])
    return schema


def _in_one(schema: dict[str, Any]) -> dict[str, Any]:
    """A union as one schema: generators make classes of unions that do not compile, or that throw on null."""
    arms = schema.get("anyOf")
    if not isinstance(arms, list):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    others = [arm for arm in arms if arm != _NULL]
    if len(others) > 1:
        return rest  # of any type: the description has to say of which
    (other,) = others
    if "$ref" in other:
        return {**rest, "oneOf": [other, _NULL]}
    one = {**other, **rest, "type": [other["type"], "null"]}
    if "enum" in other:
        one["enum"] = [*other["enum"], None]
    return one


def _type_of(values: Sequence[Any]) -> str | list[str]:
    """Of an enum or a constant. Generators of clients need it said."""
    found = sorted({_TYPES[type(value)] for value in values}, key=lambda kind: (kind == "null", kind))
    return found[0] if len(found) == 1 else found
