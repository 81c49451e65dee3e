"""The responses of an operation: its success with links, and its failures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from trilha.core.errors import CODES, HttpsRequired
from trilha.core.openapi.components import takes_fields
from trilha.core.openapi.json_schema import example, schema_of
from trilha.core.web.errors import REQUEST_ID, FailureExample
from trilha.core.web.possible_problems import possible_problems
from trilha.core.web.routes import Route
from trilha.core.web.surface import Surface

# errors that every operation may return
_EVERYWHERE = ("rate_limit_exceeded", "internal_error", "unavailable")
_KEY_CODES = ("invalid_idempotency_key", "idempotency_key_reused", "idempotency_in_progress")
_SUCCESS = {
    200: "Success.",
    201: "Created.",
    202: "Accepted; the rest follows.",
    204: "Done; there is no body.",
    302: "The browser is led on.",
}
# The member in an example, if a code is about one and no schema says which.
_FIELDS = {
    "required": "name",
    "unknown_field": "nickname",
    "unknown_parameter": "page",
    "duplicate_parameter": "limit",
    "invalid_type": "name",
    "invalid_value": "fields",
    "invalid_idempotency_key": "Idempotency-Key",
    "invalid_url": "url",
    "https_required": "url",
    "port_not_allowed": "url",
    "address_not_allowed": "url",
}
_LIMIT_HEADERS = {
    "X-RateLimit-Limit": ("Requests the window admits.", 1500),
    "X-RateLimit-Remaining": ("Requests left in the window.", 1471),
    "X-RateLimit-Reset": ("Seconds until the window ends.", 642),
    "RateLimit-Limit": ("The same as X-RateLimit-Limit.", 1500),
    "RateLimit-Remaining": ("The same as X-RateLimit-Remaining.", 1471),
    "RateLimit-Reset": ("The same as X-RateLimit-Reset.", 642),
}


def responses_of(
    surface: Surface,
    route: Route,
    routes: Sequence[Route],
    schemas: Mapping[str, Any],
    shared: Mapping[int, str],
) -> dict[str, Any]:
    """Returns an operation's responses. `shared` names the components of common failures by status."""
    success: dict[str, Any] = {
        "description": _SUCCESS[route.status],
        "headers": _header_refs("X-Request-Id", *_LIMIT_HEADERS, *route.tells),
    }
    if surface.takes_idempotency_key(route):
        success["headers"] |= _header_refs("Idempotent-Replayed")
    if (origin := route.headers.get("access-control-allow-origin")) is not None:
        success["headers"]["Access-Control-Allow-Origin"] = {
            "description": "Pages of which sites may read the answer.",
            "required": True,
            "schema": {"type": "string", "const": origin},
            "example": origin,
        }
    if route.media_type is not None:
        success["content"] = {route.media_type: {"schema": schema_of(route.result), "example": route.example}}
    elif route.result is not type(None):
        schema = schema_of(route.result)
        content = {"schema": schema, "example": example(schema, schemas)}
        success["content"] = {surface.media_type.partition(";")[0]: content}
        if links := _links(route, routes):
            success["links"] = links
    answers = {str(route.status): success}
    if route.accepted is not None:
        schema = schema_of(route.accepted)
        content = {"schema": schema, "example": example(schema, schemas)}
        media_type = surface.media_type.partition(";")[0]
        answers["202"] = {
            "description": _SUCCESS[202],
            "headers": success["headers"] | _header_refs("Location=Progress"),
            "content": {media_type: content},
        }
    answers |= _failure_responses(surface, route, schemas, shared)
    if route.status >= 300:
        # Linters require a success or a default, and this operation has no success.
        answers["default"] = {
            "description": "No other answer is known.",
            "headers": _header_refs("X-Request-Id"),
        }
    return answers


def _links(route: Route, routes: Sequence[Route]) -> dict[str, Any]:
    """Returns links from the ids in a response to every operation whose path takes one of them."""
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
    """Returns path parameters and where a response of the route holds their ids.

    A list may be empty, so nothing can be linked from it.
    """
    info = msgspec.inspect.type_info(route.result)
    assert isinstance(info, msgspec.inspect.StructType)
    data = next((field.type for field in info.fields if field.name == "data"), None)
    if not isinstance(data, msgspec.inspect.StructType):
        return {}
    own = f"{data.cls.__name__.lower()}_id"
    return {
        own if field.name == "id" else field.name: f"data/{field.name}"
        for field in data.fields
        if field.name.endswith("id") and isinstance(field.type, msgspec.inspect.UUIDType)
    }


def _failure_responses(
    surface: Surface, route: Route, schemas: Mapping[str, Any], shared: Mapping[int, str]
) -> dict[str, Any]:
    by_status: dict[int, dict[str, FailureExample]] = {}
    for code, field in _failure_codes(surface, route).items():
        found = surface.errors.example(code, field, _detail(route, code, schemas))
        by_status.setdefault(found.status, {}).setdefault(found.name, found)
    if surface.https == "required":
        found = surface.errors.example(HttpsRequired.code, None, None)
        by_status.setdefault(found.status, {}).setdefault(found.name, found)
    return {
        str(status): {"$ref": f"#/components/responses/{shared[status]}"}
        if status in shared
        else _failure_response(
            surface, status, list(by_status[status].values()), _own_headers(surface, route, status)
        )
        for status in sorted(by_status)
    }


def _own_headers(surface: Surface, route: Route, status: int) -> list[str]:
    if surface.takes_idempotency_key(route) and status in (400, 404, 409, 422):
        return ["Idempotent-Replayed"]
    if status == 403:
        return ["WWW-Authenticate=Insufficient-Scope"] if route.scope else []
    return _HEADERS_BY_STATUS.get(status, [])


def response_components(
    surface: Surface, routes: Sequence[Route], shared: Mapping[int, str]
) -> dict[str, Any]:
    """Returns response components, each with every failure of its status that these routes may return."""
    told = {code for route in routes for code in _failure_codes(surface, route)}
    return {
        name: _failure_response(
            surface,
            status,
            [
                surface.errors.example(code, None, None)
                for code, spec in CODES.items()
                if spec.status == status and code in told
            ],
            _HEADERS_BY_STATUS.get(status, []),
        )
        for status, name in shared.items()
    }


def _failure_codes(surface: Surface, route: Route) -> dict[str, str | None]:
    """Returns every error code of the route, in the order of the closed list, with a member that it may be
    about.
    """
    fields: dict[str, str | None] = dict.fromkeys([*route.errors, *_EVERYWHERE, "unknown_parameter"])
    fields |= dict.fromkeys(route.access.refusals)
    if surface.meter is not None:
        fields["call_quota_exceeded"] = None
    if route.query.__struct_fields__:
        fields |= _first(possible_problems(route.query)) | {"duplicate_parameter": None}
    if "cursor" in route.query.__struct_fields__:
        fields["invalid_cursor"] = "cursor"
    if takes_fields(route):
        fields["invalid_value"] = "fields"
    if surface.takes_idempotency_key(route):
        fields |= dict.fromkeys(_KEY_CODES)
    body = route.described_body
    if body is not None:
        fields["unsupported_media_type"] = None
    if body is not None and not route.takes_raw_body:
        fields |= _first(possible_problems(route.data or route.form or body))
        if route.data is not None and route.form is not None and route.described_form is not None:
            fields = _first(possible_problems(route.described_form)) | fields
        fields["more_problems"] = ""
    # A route without a body refuses a nonempty one.
    for code in ("payload_too_large", "request_timeout", "malformed_json", "unknown_field", "invalid_type"):
        fields.setdefault(code, None)
    ours = {code: fields[code] or _FIELDS.get(code) for code in CODES if code in fields}
    return ours | {code: None for code in fields if code not in CODES}


def _first(problems: Iterator[tuple[str, str]]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for field, code in problems:
        found.setdefault(code, field)
    return found


def _detail(route: Route, code: str, schemas: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the `detail` of an example. The route's declaration takes precedence."""
    if code == "insufficient_scope":
        return {"required_scope": route.scope}
    if code in route.details:
        detail: Any = route.details[code]
        return dict(detail(example(schema_of(route.result), schemas)) if callable(detail) else detail)
    return None


def _failure_response(
    surface: Surface, status: int, examples: Sequence[FailureExample], headers: Sequence[str]
) -> dict[str, Any]:
    # An internal failure may happen before the request is counted.
    limits = _uncertain_limit_headers() if status >= 500 else _header_refs(*_LIMIT_HEADERS)
    return {
        "description": "\n".join(f"- `{each.name}`: {each.meaning}" for each in examples),
        "headers": {**_header_refs("X-Request-Id"), **limits, **_header_refs(*headers)},
        "content": {
            surface.media_type.partition(";")[0]: {
                "schema": schema_of(surface.errors.body),
                "examples": {each.name: {"value": each.body} for each in examples},
            }
        },
    }


def _limit_headers() -> dict[str, Any]:
    return {
        name: {
            "description": meaning,
            "required": True,
            "schema": {"type": "integer", "minimum": 0},
            "example": value,
        }
        for name, (meaning, value) in _LIMIT_HEADERS.items()
    }


def _uncertain_limit_headers() -> dict[str, Any]:
    return {name: {**header, "required": False} for name, header in _limit_headers().items()}


def header_components(challenges: Sequence[str]) -> dict[str, Any]:
    """`challenges` are the possible values of WWW-Authenticate on a 401."""
    headers = _limit_headers()
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
        "schema": {"type": "string", "enum": list(challenges)},
        "example": next(iter(challenges), None),
    }
    headers["Insufficient-Scope"] = {
        "description": "Where a scope is missing: which one (RFC 6750 section 3).",
        "schema": {"type": "string", "pattern": '^Bearer error="insufficient_scope", scope="[^"]+"$'},
        "example": 'Bearer error="insufficient_scope", scope="users:read"',
    }
    headers["ETag"] = {
        "description": "The version of what is answered (RFC 9110 section 8.8.3).",
        "required": True,
        "schema": {"type": "string", "pattern": '^W/"[^"]+"$'},
        "example": 'W/"3-9f2c1a7e"',
    }
    headers["Location"] = {
        "description": "Where it is.",
        "required": True,
        "schema": {"type": "string", "format": "uri"},
        "example": "https://learn.example.com/scim/v2/Users/7e5f6a0c-2f7e-4e7b-9a51-0c9f6c1d2e3f",
    }
    headers["Progress"] = {
        "description": "Where the status of the work is.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
        "example": "/v1/module-imports/7e5f6a0c-2f7e-4e7b-9a51-0c9f6c1d2e3f",
    }
    headers["X-Truncated"] = {
        "description": "`true` when there is more than the file holds.",
        "schema": {"type": "string", "const": "true"},
        "example": "true",
    }
    headers["Redirect"] = {
        "description": "Where to.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
        "example": "/login/sso#ticket=Zk2x",
    }
    headers["Idempotent-Replayed"] = {
        "description": "`true` when this is the stored answer of an earlier call.",
        "schema": {"type": "string", "const": "true"},
        "example": "true",
    }
    return headers


def _header_refs(*names: str) -> dict[str, Any]:
    """References header components: `Name` has a component of that name, `Name=Component` has another."""
    pairs = [(name, component or name) for name, _, component in (each.partition("=") for each in names)]
    return {name: {"$ref": f"#/components/headers/{component}"} for name, component in pairs}


_HEADERS_BY_STATUS = {
    401: ["WWW-Authenticate"],
    429: ["Retry-After"],
    503: ["Retry-After"],
}
