"""The document and its operations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import msgspec

from trilha.core.credentials import SCOPES
from trilha.core.openapi.components import component_schemas
from trilha.core.openapi.json_schema import example, example_id, schema_of, without_null
from trilha.core.openapi.responses import header_components, response_components, responses_of
from trilha.core.openapi.webhooks import parameter_components, webhook_structs, webhooks_of
from trilha.core.web.routes import Route, Routes

VERSION = "1.0.0"

_INTRODUCTION = """\
JSON over HTTPS. One credential belongs to one tenant and sees nothing else.

**Credentials.** Send an API key with every call, or an access token of an OAuth client:
`Authorization: Bearer <key or token>`. Each operation names the scope that it must have.

**Lists** answer `data`, `next_cursor`, `has_more` and `limit`. Ask again with `cursor=<next_cursor>`, and the
same filters, until `has_more` is false.

**Errors** have one form: `error.type` says what kind, `error.code` the stable reason, `error.message` is
for people. A `validation_error` tells every problem at once, in `error.detail`. Quote `error.request_id` to
support.

**Repeating a call.** A POST that carries an `Idempotency-Key` may be sent again within 24 hours: the answer
comes back and nothing is done twice.

**Limits.** Every answer tells what is left of the window, in `X-RateLimit-*` and `RateLimit-*`. After a
429, wait the seconds that `Retry-After` names.
"""
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
    "type": "Only events of this type.",
    "event_type": "Only those of this type of event.",
    "since": "Only those created at or after this moment.",
    "until": "Only those created before this moment.",
}


def describe(features: Sequence[Routes], server: str) -> dict[str, Any]:
    """The whole description as JSON values; `server` is where /v1 hangs."""
    routes = [route for feature in features for route in feature.all]
    schemas = component_schemas(routes, webhook_structs(features))
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, routes, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Trilha API",
            "version": VERSION,
            "summary": "People, courses and enrollments, for HR and ERP systems.",
            "description": _INTRODUCTION,
            "contact": {"name": "Trilha"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"{server}/v1"}],
        "tags": [{"name": feature.tag, "description": feature.description} for feature in features],
        "security": [{"apiKey": []}, {"oauth": []}],
        "paths": paths,
        "webhooks": webhooks_of(features, schemas),
        "components": {
            "schemas": schemas,
            "parameters": parameter_components(),
            "headers": header_components(),
            "responses": response_components(),
            "securitySchemes": {
                "apiKey": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key. Scopes:\n\n"
                    + "\n".join(f"- `{scope}`: {meaning}" for scope, meaning in SCOPES.items()),
                },
                "oauth": {
                    "type": "oauth2",
                    "description": "An access token of an OAuth client, good for an hour.",
                    "flows": {
                        "clientCredentials": {
                            "tokenUrl": f"{server}/oauth/token",
                            "scopes": {str(scope): meaning for scope, meaning in SCOPES.items()},
                        }
                    },
                },
            },
        },
    }


def _operation(route: Route, routes: Sequence[Route], schemas: Mapping[str, Any]) -> dict[str, Any]:
    doc = (route.handler.__doc__ or "").strip()
    operation: dict[str, Any] = {
        "operationId": route.name,
        "tags": [route.tag],
        "summary": re.split(r"(?<=[.;])\s", doc)[0].rstrip(".;"),
        "description": f"{doc}\n\nScope: `{route.scope}`.",
        # Only an oauth2 scheme may list scopes where every linter agrees.
        "security": [{"apiKey": []}, {"oauth": [route.scope]}],
        "x-required-scope": route.scope,
        "parameters": [*_path_parameters(route), *_query_parameters(route), *_header_parameters(route)],
        "responses": responses_of(route, routes, schemas),
    }
    if route.body is not None:
        schema = schema_of(route.body)
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema, "example": example(schema, schemas)}},
        }
    return operation


def _path_parameters(route: Route) -> Iterator[dict[str, Any]]:
    for name in route.path_params:
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": f"The {name.removesuffix('_id')}'s id.",
            "schema": {"type": "string", "format": "uuid"},
            "example": example_id(name),
        }


def _query_parameters(route: Route) -> Iterator[dict[str, Any]]:
    for field in msgspec.structs.fields(route.query):
        schema = without_null(schema_of(field.type))
        if field.encode_name == "fields":
            schema |= _fields_schema(route)
        if field.encode_name == "cursor":
            schema.pop("examples")  # none is good for every tenant
        if field.default not in (None, msgspec.NODEFAULT):
            schema["default"] = field.default
        yield {
            "name": field.encode_name,
            "in": "query",
            "required": False,
            "description": _QUERY[field.encode_name],
            "schema": schema,
        }


def _fields_schema(route: Route) -> dict[str, Any]:
    (kind,) = get_args(route.result)
    names = kind.__struct_fields__
    name = f"({'|'.join(names)})"
    return {
        "pattern": f"^ *{name} *(, *{name} *)*$",
        "examples": [",".join(names[1:3])],
    }


def _header_parameters(route: Route) -> Iterator[dict[str, Any]]:
    if route.idempotent_by_key:
        yield {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "Makes the call safe to repeat: for 24 hours the same key answers the same.",
            "schema": {
                "type": "string",
                "minLength": 1,
                "maxLength": 255,
                "pattern": "^[!-~]([ -~]*[!-~])?$",
            },
        }
