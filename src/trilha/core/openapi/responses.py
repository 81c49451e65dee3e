"""What an operation answers: its success, where that leads, and every way it can fail."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from trilha.core.errors import CODES
from trilha.core.openapi.components import part_of, takes_fields
from trilha.core.openapi.examples import REQUEST_ID, error_example
from trilha.core.openapi.json_schema import REF, example, schema_of
from trilha.core.web.parsing import possible_problems
from trilha.core.web.routes import Route

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
_KEY_CODES = ("invalid_idempotency_key", "idempotency_key_reused", "idempotency_in_progress")
_SUCCESS = {
    200: "Success.",
    201: "Created.",
    202: "Accepted; the rest follows.",
    204: "Done; there is no body.",
}
# Where a code is about one member and no schema says which: the member of the example.
_FIELDS = {
    "required": "name",
    "unknown_field": "nickname",
    "unknown_parameter": "page",
    "duplicate_parameter": "limit",
    "invalid_type": "name",
    "invalid_value": "fields",
    "invalid_idempotency_key": "Idempotency-Key",
}
# Failures whose every code may meet every operation.
_SHARED = {
    401: "Unauthenticated",
    413: "TooLarge",
    415: "UnsupportedMediaType",
    429: "RateLimited",
    500: "Failed",
    503: "Unavailable",
}
_LIMIT_HEADERS = {
    "X-RateLimit-Limit": ("Requests the window admits.", 1500),
    "X-RateLimit-Remaining": ("Requests left in the window.", 1471),
    "X-RateLimit-Reset": ("Seconds until the window ends.", 642),
    "RateLimit-Limit": ("The same as X-RateLimit-Limit.", 1500),
    "RateLimit-Remaining": ("The same as X-RateLimit-Remaining.", 1471),
    "RateLimit-Reset": ("The same as X-RateLimit-Reset.", 642),
}


def responses_of(route: Route, routes: Sequence[Route], schemas: Mapping[str, Any]) -> dict[str, Any]:
    success: dict[str, Any] = {
        "description": _SUCCESS[route.status],
        "headers": _header_refs("X-Request-Id", *_LIMIT_HEADERS),
    }
    if route.idempotent_by_key:
        success["headers"] |= _header_refs("Idempotent-Replayed")
    if route.result is not type(None):
        whole = schema_of(route.result)
        schema = {"anyOf": [whole, part_of(whole)]} if takes_fields(route) else whole
        success["content"] = {"application/json": {"schema": schema, "example": example(whole, schemas)}}
        if links := _links(route, routes):
            success["links"] = links
    return {str(route.status): success} | _error_responses(route, schemas)


def _links(route: Route, routes: Sequence[Route]) -> dict[str, Any]:
    """Where the ids in an answer lead: every operation whose path takes one of them."""
    known = _ids_in(route)
    links: dict[str, Any] = {}
    for other in routes:
        if other is not route and other.path_params and all(name in known for name in other.path_params):
            links[other.name] = {
                "operationId": other.name,
                "parameters": {name: f"$response.body#/{known[name]}" for name in other.path_params},
                "description": (other.handler.__doc__ or "").strip().split("\n")[0],
            }
    return links


def _ids_in(route: Route) -> dict[str, str]:
    """A path parameter's name, and where an answer of the route holds such an id.

    A list promises no row, so nothing follows from it.
    """
    info = msgspec.inspect.type_info(route.result)
    assert isinstance(info, msgspec.inspect.StructType)
    (data,) = (field.type for field in info.fields if field.name == "data")
    if not isinstance(data, msgspec.inspect.StructType):
        return {}
    own = f"{data.cls.__name__.lower()}_id"
    return {
        own if field.name == "id" else field.name: f"data/{field.name}"
        for field in data.fields
        if field.name.endswith("id") and isinstance(field.type, msgspec.inspect.UUIDType)
    }


def _error_responses(route: Route, schemas: Mapping[str, Any]) -> dict[str, Any]:
    fields = _error_fields(route)
    statuses = sorted({CODES[code].status for code in fields})
    return {str(status): _shared(status) or _own(status, route, fields, schemas) for status in statuses}


def _own(
    status: int, route: Route, fields: Mapping[str, str | None], schemas: Mapping[str, Any]
) -> dict[str, Any]:
    examples = {
        code: _told(route, code, field, schemas)
        for code, field in fields.items()
        if CODES[code].status == status
    }
    replayed = route.idempotent_by_key and status in (404, 409, 422)
    return _error_response(status, examples, ["Idempotent-Replayed"] if replayed else [])


def _shared(status: int) -> dict[str, Any] | None:
    """What is the same wherever it is answered."""
    if status not in _SHARED:
        return None
    return {"$ref": f"#/components/responses/{_SHARED[status]}"}


def response_components() -> dict[str, Any]:
    return {
        name: _error_response(
            status,
            {code: error_example(code) for code, spec in CODES.items() if spec.status == status},
            {401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]}.get(status, []),
        )
        for status, name in _SHARED.items()
    }


def _error_fields(route: Route) -> dict[str, str | None]:
    """Every code the route may answer, in the order of the closed list, and a member it may be about."""
    fields: dict[str, str | None] = dict.fromkeys([*route.errors, *_EVERYWHERE, "unknown_parameter"])
    if route.query.__struct_fields__:
        fields |= _first(possible_problems(route.query)) | {"duplicate_parameter": None}
    if "cursor" in route.query.__struct_fields__:
        fields["invalid_cursor"] = "cursor"
    if takes_fields(route):
        fields["invalid_value"] = "fields"
    if route.idempotent_by_key:
        fields |= dict.fromkeys(
            ["invalid_idempotency_key", "idempotency_key_reused", "idempotency_in_progress"]
        )
    if route.method != "GET":
        fields["payload_too_large"] = None
    if route.body is not None:
        fields |= dict.fromkeys(["malformed_json", "unsupported_media_type", "unknown_field", "invalid_type"])
        fields |= _first(possible_problems(route.body))
    return {code: fields[code] or _FIELDS.get(code) for code in CODES if code in fields}


def _first(problems: Iterator[tuple[str, str]]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for field, code in problems:
        found.setdefault(code, field)
    return found


def _told(route: Route, code: str, field: str | None, schemas: Mapping[str, Any]) -> Any:
    details: dict[str, dict[str, Any]] = {
        "insufficient_scope": {"required_scope": route.scope},
        "regulatory_profile_missing": {"missing_fields": ["cpf", "cnh"]},
    }
    if code == "already_enrolled":
        details[code] = {"existing_enrollment": example(schema_of(route.result), schemas)["data"]}
    return error_example(code, field, details.get(code))


def _error_response(status: int, examples: Mapping[str, Any], headers: Sequence[str]) -> dict[str, Any]:
    everywhere = ["X-Request-Id"] if status >= 500 else ["X-Request-Id", *_LIMIT_HEADERS]
    return {
        "description": "\n".join(f"- `{code}`: {CODES[code].message}" for code in examples),
        "headers": _header_refs(*everywhere, *headers),
        "content": {
            "application/json": {
                "schema": {"$ref": REF.format(name="ErrorEnvelope")},
                "examples": {code: {"value": value} for code, value in examples.items()},
            }
        },
    }


def header_components() -> dict[str, Any]:
    headers: dict[str, Any] = {
        name: {
            "description": meaning,
            "required": True,
            "schema": {"type": "integer", "minimum": 0},
            "example": value,
        }
        for name, (meaning, value) in _LIMIT_HEADERS.items()
    }
    headers["X-Request-Id"] = {
        "description": "Names this call; quote it to support.",
        "required": True,
        "schema": {"type": "string", "pattern": "^req_[0-9A-HJKMNP-TV-Z]{26}$"},
        "example": REQUEST_ID,
    }
    headers["Retry-After"] = {
        "description": "Seconds to wait before the next call.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
        "example": 42,
    }
    headers["WWW-Authenticate"] = {
        "description": "How to authenticate.",
        "required": True,
        "schema": {"type": "string", "const": "Bearer"},
        "example": "Bearer",
    }
    headers["Idempotent-Replayed"] = {
        "description": "`true` when this is the stored answer of an earlier call.",
        "schema": {"type": "string", "const": "true"},
        "example": "true",
    }
    return headers


def _header_refs(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
