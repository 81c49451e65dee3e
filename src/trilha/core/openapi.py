"""The OpenAPI 3.1 description, made from the routes themselves."""

import re
from collections.abc import Sequence
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct

from trilha.core.auth import SCOPES
from trilha.core.errors import CODES, ErrorEnvelope, Problem
from trilha.core.http import Route, Routes
from trilha.core.pages import Page
from trilha.core.types import schema_hook

VERSION = "1.0.0"
_REF = "#/components/schemas/{name}"

# What any operation of /v1 may answer besides its own errors.
_EVERYWHERE = (
    "credential_missing",
    "credential_invalid",
    "credential_expired",
    "credential_revoked",
    "insufficient_scope",
    "ip_not_allowed",
    "rate_limit_exceeded",
    "internal_error",
    "unavailable",
)
_LIMIT_HEADERS = {
    "X-RateLimit-Limit": "Requests the window admits.",
    "X-RateLimit-Remaining": "Requests left in the window.",
    "X-RateLimit-Reset": "Seconds until the window ends.",
    "RateLimit-Limit": "The same as X-RateLimit-Limit.",
    "RateLimit-Remaining": "The same as X-RateLimit-Remaining.",
    "RateLimit-Reset": "The same as X-RateLimit-Reset.",
}
_HEADER_REFS = {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *_LIMIT_HEADERS)}


def describe(features: Sequence[Routes], server: str) -> dict[str, Any]:
    """The whole description as JSON values; `server` is where /v1 hangs."""
    routes = [route for feature in features for route in feature.all]
    schemas = _schemas(routes)
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Trilha API",
            "version": VERSION,
            "summary": "People, courses and enrollments, for HR and ERP systems.",
            "description": "JSON over HTTPS. One credential belongs to one tenant and sees nothing else.",
            "contact": {"name": "Trilha", "url": "https://github.com/trilha/trilha"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"{server}/v1"}],
        "tags": [
            {"name": feature.tag, "description": feature.description}
            for feature in sorted(features, key=lambda each: each.tag)
        ],
        "security": [{"apiKey": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "headers": _headers(),
            "securitySchemes": {
                "apiKey": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key. Scopes:\n\n"
                    + "\n".join(f"- `{scope}`: {meaning}" for scope, meaning in SCOPES.items()),
                }
            },
        },
    }


def _schemas(routes: Sequence[Route]) -> dict[str, Any]:
    kinds: list[Any] = [ErrorEnvelope, Problem]
    for route in routes:
        kinds += [kind for kind in (route.body, route.result) if kind not in (None, type(None))]
    _, components = msgspec.json.schema_components(kinds, schema_hook=schema_hook, ref_template=_REF)
    return {name: _tidy(schema) for name, schema in components.items()}


def _tidy(schema: Any) -> Any:
    """Closed request bodies keep `additionalProperties: false`; a default of null is not worth showing."""
    if isinstance(schema, dict):
        return {
            key: _tidy(value)
            for key, value in schema.items()
            if not (key == "default" and value is None) and key != "title"
        }
    return [_tidy(value) for value in schema] if isinstance(schema, list) else schema


def _schema(kind: Any) -> Any:
    (schema,), _ = msgspec.json.schema_components([kind], schema_hook=schema_hook, ref_template=_REF)
    return _tidy(schema)


def _headers() -> dict[str, Any]:
    headers: dict[str, Any] = {
        name: {"description": meaning, "schema": {"type": "integer", "minimum": 0}, "example": 900}
        for name, meaning in _LIMIT_HEADERS.items()
    }
    headers["X-Request-Id"] = {
        "description": "Names this call; quote it to support.",
        "schema": {"type": "string", "pattern": "^req_[0-9A-HJKMNP-TV-Z]{26}$"},
        "example": "req_01JD7Q0XG5M8Z3V4T9W2Y6R1KB",
    }
    headers["Retry-After"] = {
        "description": "Seconds to wait before the next call.",
        "schema": {"type": "integer", "minimum": 1},
        "example": 42,
    }
    headers["Idempotent-Replayed"] = {
        "description": "`true` when this is the stored answer of an earlier call.",
        "schema": {"type": "string", "const": "true"},
        "example": "true",
    }
    return headers


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    doc = (route.handler.__doc__ or "").strip()
    operation: dict[str, Any] = {
        "operationId": route.name,
        "tags": [route.tag],
        "summary": re.split(r"(?<=[.;])\s", doc)[0].rstrip(".;"),
        "description": f"{doc}\n\nScope: `{route.scope}`.",
        "security": [{"apiKey": [route.scope]}],
        "parameters": _parameters(route),
        "responses": _responses(route),
    }
    if route.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {
                "application/json": {"schema": _schema(route.body), "example": example(route.body, schemas)}
            },
        }
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": f"The {name.removesuffix('_id')}'s id.",
            "schema": {"type": "string", "format": "uuid"},
        }
        for name in route.path_params
    ]
    for field in msgspec.structs.fields(route.query):
        parameters.append(
            {
                "name": field.encode_name,
                "in": "query",
                "required": False,
                "description": _QUERY[field.encode_name],
                "schema": _without_null(_schema(field.type)),
            }
        )
    if route.idempotent_by_key:
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "description": "Makes the call safe to repeat: for 24 hours the same key answers the same.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
            }
        )
    return parameters


_QUERY = {
    "limit": "Rows on a page.",
    "cursor": "`next_cursor` of the page before. Opaque; it belongs to this list with these filters.",
    "updated_since": "Only rows changed at or after this moment, by their last change, oldest first.",
    "fields": "Only these members and `id`, separated by commas.",
    "status": "Only those in this state.",
    "email": "Only the user with this e-mail address.",
    "role": "Only those with this role.",
    "tags": "Only those that bear any of these tags, separated by commas.",
    "user_id": "Only this user's.",
    "course_id": "Only this course's.",
}


def _without_null(schema: Any) -> Any:
    arms = [arm for arm in schema.get("anyOf", []) if arm != {"type": "null"}]
    if arms:
        return arms[0] if len(arms) == 1 else {**schema, "anyOf": arms}
    if "enum" in schema and None in schema["enum"]:
        return {**schema, "enum": [value for value in schema["enum"] if value is not None]}
    return schema


def _responses(route: Route) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Done.", "headers": dict(_HEADER_REFS)}
    if route.idempotent_by_key:
        success["headers"]["Idempotent-Replayed"] = {"$ref": "#/components/headers/Idempotent-Replayed"}
    if route.result is not type(None):
        success["content"] = {"application/json": {"schema": _result_schema(route)}}
    responses: dict[str, Any] = {str(route.status): success}
    by_status: dict[int, list[str]] = {}
    for code in _error_codes(route):
        by_status.setdefault(CODES[code].status, []).append(code)
    for status in sorted(by_status):
        responses[str(status)] = _error_response(status, by_status[status])
    return responses


def _result_schema(route: Route) -> Any:
    schema = _schema(route.result)
    if "fields" in route.query.__struct_fields__:
        # With `fields`, members are left out: only `id` is certain.
        return {"anyOf": [schema, _partial(route)]}
    return schema


def _partial(route: Route) -> dict[str, Any]:
    (kind,) = get_args(route.result)
    row = {
        "type": "object",
        "required": ["id"],
        "properties": {field.encode_name: _schema(field.type) for field in msgspec.structs.fields(kind)},
    }
    if get_origin(route.result) is not Page:
        return {"type": "object", "required": ["data"], "properties": {"data": row}}
    return {
        "type": "object",
        "required": ["data", "next_cursor", "has_more", "limit"],
        "properties": {
            "data": {"type": "array", "items": row},
            "next_cursor": {"type": ["string", "null"]},
            "has_more": {"type": "boolean"},
            "limit": {"type": "integer"},
        },
    }


def _error_codes(route: Route) -> list[str]:
    codes = [*route.errors, *_EVERYWHERE, "unknown_parameter"]
    if route.method == "POST":
        codes += ["invalid_idempotency_key", "idempotency_key_reused", "idempotency_in_progress"]
    if route.method != "GET":
        codes.append("payload_too_large")
    if route.body is not None:
        codes += ["malformed_json", "unsupported_media_type", "required", "unknown_field", "invalid_type"]
    return list(dict.fromkeys(codes))


def _error_response(status: int, codes: Sequence[str]) -> dict[str, Any]:
    headers = dict(_HEADER_REFS)
    if status in (429, 503):
        headers["Retry-After"] = {"$ref": "#/components/headers/Retry-After"}
    return {
        "description": "\n".join(f"- `{code}`: {CODES[code].message}" for code in codes),
        "headers": headers,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ErrorEnvelope"},
                "examples": {code: {"value": _error_example(code)} for code in codes},
            }
        },
    }


def _error_example(code: str) -> dict[str, Any]:
    spec = CODES[code]
    body = {"type": spec.type, "code": code, "message": spec.message}
    return {"error": {**body, "request_id": "req_01JD7Q0XG5M8Z3V4T9W2Y6R1KB"}}


def example(kind: type[Struct], schemas: dict[str, Any]) -> Any:
    """An example body, from the examples of its members' types."""
    return _example(_schema(kind), schemas)


def _example(schema: Any, schemas: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _example(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:
        return _example(next(arm for arm in schema["anyOf"] if arm != {"type": "null"}), schemas)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _example(each, schemas) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [_example(schema["items"], schemas)]
    if schema.get("format") == "uuid":
        return "6f1c2f6e-3a1d-4b57-9f0e-5f1f3f0f7a11"
    length = schema.get("minLength", 0)
    return {"string": "Example text"[: max(length, 12)], "boolean": True}.get(
        str(kind), schema.get("minimum", 1)
    )
