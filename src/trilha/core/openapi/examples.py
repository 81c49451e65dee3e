"""Examples for the OpenAPI description, made from the schemas they illustrate."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from trilha.core.errors import CODES, FIELD_CODES, problem

REQUEST_ID = "req_01JD7Q0XG5M8Z3V4T9W2Y6R1KB"
_FALLBACKS: dict[str, Any] = {"boolean": True, "null": None}


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
    if "anyOf" in schema:
        return example(schema["anyOf"][0], schemas, name)
    if "enum" in schema:
        return schema["enum"][0]
    return _plain(schema, schemas, name)


def _plain(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str) -> Any:
    kind = schema.get("type")
    if kind == "object":
        members = schema.get("properties", {})
        return {
            each: example(member, schemas, f"{name}_id" if each == "id" else each)
            for each, member in members.items()
        }
    if kind == "array":
        return [example(schema["items"], schemas, name)]
    if kind == "string":
        return example_id(name) if schema.get("format") == "uuid" else "text"
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return _FALLBACKS[str(kind)]


def error_example(code: str, field: str | None = None, detail: Mapping[str, Any] | None = None) -> Any:
    """An error's whole body. `field` is the member at fault where the code is about one."""
    spec = CODES[code]
    error: dict[str, Any] = {"type": spec.type, "code": code, "message": spec.message}
    if code in FIELD_CODES and field is not None:
        found = problem(field, code)
        error |= {
            "field": field,
            "detail": [{"field": found.field, "message": found.message, "code": found.code}],
        }
    if detail:
        error["detail"] = dict(detail)
    return {"error": {**error, "request_id": REQUEST_ID}}
