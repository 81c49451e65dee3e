"""The OpenAPI document and its operations."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import cleandoc
from typing import Any

import msgspec
from msgspec import Struct, field

from trilha.core.openapi.components import component_schemas, partly, select_used
from trilha.core.openapi.json_schema import example, example_id, schema_of, without_null
from trilha.core.openapi.responses import header_components, response_components, responses_of
from trilha.core.openapi.webhooks import WEBHOOKS_TAG, webhook_routes, webhook_structs, webhooks_of
from trilha.core.web.pagination import data_of
from trilha.core.web.routes import Route
from trilha.core.web.surface import Surface

_WEBHOOKS = {"name": WEBHOOKS_TAG, "description": "What is sent to webhook endpoints, one for each type."}


class Description(Struct, frozen=True, kw_only=True):
    """The document-level information about one or several surfaces.

    `server` is the URL that the paths are relative to. Paths begin with their surface's prefix, unless
    that is part of `server`. `security` returns the alternative requirements of a route.
    """

    title: str
    summary: str
    introduction: str
    server: str
    surfaces: Sequence[Surface]
    security_schemes: Mapping[str, Any]
    security: Callable[[Route], list[dict[str, Any]]]
    # the headers of webhooks, by name
    webhook_headers: Mapping[str, Any] = field(default_factory=dict)
    # the possible values of WWW-Authenticate on a 401
    challenges: Sequence[str] = ()
    # component names of failures that are the same for all operations, by status
    shared_failures: Mapping[int, str] = field(default_factory=dict)

    def operations(self) -> Iterator[tuple[str, Surface, Route]]:
        """Yields each operation with its path in the document."""
        for surface in self.surfaces:
            prefix = surface.prefixes[0]
            shown = "" if self.server.endswith(prefix) else prefix
            for route in surface.routes:
                if route.described:
                    yield shown + route.path, surface, route


def describe(description: Description, version: str) -> dict[str, Any]:
    """Returns the whole OpenAPI document as JSON values."""
    operations = list(description.operations())
    routes = [route for _, _, route in operations]
    features = [feature for surface in description.surfaces for feature in surface.features]
    errors = [surface.errors.body for surface in description.surfaces]
    schemas = component_schemas(routes, [*errors, *webhook_structs(features)])
    responses = response_components(description.surfaces[0], routes, description.shared_failures)
    paths: dict[str, Any] = {}
    for path, surface, route in operations:
        operation = _operation(description, surface, route, routes, schemas)
        paths.setdefault(path, {})[route.method.lower()] = operation
    webhooks = webhooks_of(features, schemas, list(description.webhook_headers))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": description.title,
            "version": version,
            "summary": description.summary,
            "description": description.introduction,
            "contact": {"name": "Trilha"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": description.server}],
        "tags": [
            *({"name": feature.tag, "description": feature.description} for feature in features),
            *([_WEBHOOKS] if any(webhook_routes(features)) else []),
        ],
        # each operation lists its scopes
        "security": [{name: [] for name in each} for each in description.security(routes[0])],
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": select_used("schemas", partly(schemas, routes), paths, webhooks, responses),
            "parameters": dict(description.webhook_headers),
            "headers": select_used("headers", header_components(description.challenges), paths, responses),
            "responses": responses,
            "securitySchemes": dict(description.security_schemes),
        },
    }


def _operation(
    description: Description,
    surface: Surface,
    route: Route,
    routes: Sequence[Route],
    schemas: Mapping[str, Any],
) -> dict[str, Any]:
    doc = cleandoc(route.handler.__doc__ or "")
    operation: dict[str, Any] = {
        "operationId": route.name,
        "tags": [route.tag],
        "summary": re.split(r"(?<=[.;])\s", doc)[0].rstrip(".;"),
        "description": f"{doc}\n\nScope: `{route.scope}`." if route.scope else doc,
        "security": description.security(route),
        "parameters": [
            *_path_parameters(route),
            *_query_parameters(route),
            *_header_parameters(surface, route),
        ],
        "responses": responses_of(surface, route, routes, schemas, description.shared_failures),
    }
    if route.scope:
        operation["x-required-scope"] = route.scope
    if content := _request_content(surface, route, schemas):
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _request_content(surface: Surface, route: Route, schemas: Mapping[str, Any]) -> dict[str, Any] | None:
    bodies: dict[str, type[Struct]] = {}
    if route.data is not None and route.described_body is not None:
        own = surface.media_type.partition(";")[0] if route.takes_raw_body else "application/json"
        bodies[own] = route.described_body
    if route.described_form is not None:
        form = "multipart/form-data" if route.takes_files else "application/x-www-form-urlencoded"
        bodies[form] = route.described_form
    content = {}
    for media_type, kind in bodies.items():
        schema = schema_of(kind)
        content[media_type] = {"schema": schema, "example": example(schema, schemas)}
    return content or None


def _path_parameters(route: Route) -> Iterator[dict[str, Any]]:
    for name, kind in route.path_params.items():
        schema = schema_of(kind)
        schema.pop("examples", None)
        words = schema.get("enum")
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": f"The {name}." if words else f"The {name.removesuffix('_id')}'s id.",
            "schema": schema,
            "example": words[-1] if words else example_id(name),
        }


def _query_parameters(route: Route) -> Iterator[dict[str, Any]]:
    # A list's filters come first, then the common parameters.
    for member in sorted(msgspec.structs.fields(route.query), key=lambda each: each.name == "fields"):
        schema = without_null(schema_of(member.type))
        description = schema.pop("description")
        if member.encode_name == "fields":
            schema |= _fields_schema(route)
        if member.encode_name == "cursor":
            schema.pop("examples", None)  # no example suits every tenant
        if member.default not in (None, msgspec.NODEFAULT):
            schema["default"] = member.default
        yield {
            "name": member.encode_name,
            "in": "query",
            "required": member.required,
            "description": description,
            "schema": schema,
        }


def _fields_schema(route: Route) -> dict[str, Any]:
    names = data_of(route.result).__struct_fields__
    name = f"({'|'.join(names)})"
    return {
        "pattern": f"^ *{name} *(, *{name} *)*$",
        "examples": [",".join(names[1:3])],
    }


def _header_parameters(surface: Surface, route: Route) -> Iterator[dict[str, Any]]:
    if surface.takes_idempotency_key(route):
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
