"""Discovery: the capabilities of this server, its resource types and schemas."""

from typing import Any

from msgspec import Struct, field

from trilha.access.scim import urns
from trilha.access.scim.access import BY_TOKEN
from trilha.access.scim.answers import BaseAddress, Resource, build_answer, build_list
from trilha.access.scim.errors import ScimError, not_found
from trilha.access.scim.parameters import PAGE_SIZE, DiscoveryQuery
from trilha.access.scim.schemas import build_schemas
from trilha.core.database import Tx
from trilha.core.web.answers import WrittenAnswer
from trilha.core.web.routes import Routes
from trilha.people.custom_fields import queries as custom_fields

routes = Routes("Discovery", "The capabilities of this server.")
_ERRORS = ("403",)


class ServiceProviderConfig(Struct, frozen=True, rename="camel"):
    """The capabilities of this server (RFC 7643 section 5)."""

    schemas: list[str]
    documentation_uri: str
    patch: dict[str, Any]
    bulk: dict[str, Any]
    filter: dict[str, Any]
    change_password: dict[str, Any]
    sort: dict[str, Any]
    etag: dict[str, Any]
    pagination: dict[str, Any]
    authentication_schemes: list[dict[str, Any]]
    meta: dict[str, Any]


class DescriptionResource(Struct, frozen=True):
    """A resource type (RFC 7643 section 6) or a schema (section 7)."""

    schemas: list[str]
    id: str
    name: str


class DescribedList(Struct, frozen=True, rename="camel"):
    schemas: list[str]
    total_results: int
    items_per_page: int
    start_index: int
    resources: list[DescriptionResource] = field(name="Resources")


def _refuse_filter(query: DiscoveryQuery) -> None:
    """Refuses a filter, as RFC 7644 section 4 requires."""
    if query.filter is not None:
        raise ScimError(403, "Discovery endpoints do not support filters.")


@routes.get("/ServiceProviderConfig", access=BY_TOKEN, errors=_ERRORS)
async def get_service_provider_config(
    query: DiscoveryQuery, base: BaseAddress
) -> WrittenAnswer[ServiceProviderConfig]:
    """Retrieve the capabilities of this server."""
    _refuse_filter(query)
    return build_answer(service_provider_config(base))


def service_provider_config(base: str) -> Resource:
    return {
        "schemas": [urns.SERVICE_PROVIDER_CONFIG],
        "documentationUri": f"{base.removesuffix('/scim/v2')}/docs",
        "patch": {"supported": True},
        "bulk": {"supported": False, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": PAGE_SIZE},
        "changePassword": {"supported": False},
        "sort": {"supported": True},
        "etag": {"supported": True},
        "pagination": {
            "cursor": True,
            "index": True,
            "defaultPaginationMethod": "index",
            "defaultPageSize": PAGE_SIZE,
            "maxPageSize": PAGE_SIZE,
        },
        "authenticationSchemes": [
            {
                "type": "oauthbearertoken",
                "name": "Bearer token",
                "description": "A SCIM token of the tenant, in the Authorization header.",
                "specUri": "https://www.rfc-editor.org/rfc/rfc6750",
                "primary": True,
            }
        ],
        "meta": {"resourceType": "ServiceProviderConfig", "location": f"{base}/ServiceProviderConfig"},
    }


_TYPES: tuple[Resource, ...] = (
    {
        "id": "User",
        "name": "User",
        "description": "A person.",
        "endpoint": "/Users",
        "schema": urns.USER,
        "schemaExtensions": [{"schema": urn, "required": False} for urn in (urns.ENTERPRISE, urns.TRILHA)],
    },
    {
        "id": "Group",
        "name": "Group",
        "description": "A learning group.",
        "endpoint": "/Groups",
        "schema": urns.GROUP,
        "schemaExtensions": [],
    },
)


def _resource_type(resource_type: Resource, base: str) -> Resource:
    meta = {"resourceType": "ResourceType", "location": f"{base}/ResourceTypes/{resource_type['id']}"}
    return {"schemas": [urns.RESOURCE_TYPE], **resource_type, "meta": meta}


def _schema(schema: Resource, base: str) -> Resource:
    meta = {"resourceType": "Schema", "location": f"{base}/Schemas/{schema['id']}"}
    return {"schemas": [urns.SCHEMA], **schema, "meta": meta}


@routes.get("/ResourceTypes", access=BY_TOKEN, errors=_ERRORS)
async def list_resource_types(query: DiscoveryQuery, base: BaseAddress) -> WrittenAnswer[DescribedList]:
    """List the resource types: users and groups."""
    _refuse_filter(query)
    return build_answer(
        build_list([_resource_type(resource_type, base) for resource_type in _TYPES], len(_TYPES), 1, None)
    )


@routes.get("/ResourceTypes/{name}", access=BY_TOKEN, errors=["404", *_ERRORS])
async def get_resource_type(
    name: str, query: DiscoveryQuery, base: BaseAddress
) -> WrittenAnswer[DescriptionResource]:
    """Retrieve a resource type."""
    _refuse_filter(query)
    for resource_type in _TYPES:
        if resource_type["id"] == name:
            return build_answer(_resource_type(resource_type, base))
    raise not_found("resource type")


@routes.get("/Schemas", access=BY_TOKEN, errors=_ERRORS)
async def list_schemas(tx: Tx, query: DiscoveryQuery, base: BaseAddress) -> WrittenAnswer[DescribedList]:
    """List the schemas of users and groups, with the tenant's custom fields."""
    _refuse_filter(query)
    schemas = build_schemas(await custom_fields.list_fields(tx))
    return build_answer(build_list([_schema(schema, base) for schema in schemas], len(schemas), 1, None))


@routes.get("/Schemas/{urn}", access=BY_TOKEN, errors=["404", *_ERRORS])
async def get_schema(
    tx: Tx, urn: str, query: DiscoveryQuery, base: BaseAddress
) -> WrittenAnswer[DescriptionResource]:
    """Retrieve a schema."""
    _refuse_filter(query)
    for schema in build_schemas(await custom_fields.list_fields(tx)):
        if schema["id"].lower() == urn.lower():
            return build_answer(_schema(schema, base))
    raise not_found("schema")
