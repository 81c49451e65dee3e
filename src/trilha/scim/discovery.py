"""What a provider asks first: what this server can do, what people and groups have."""

from typing import Any

from msgspec import Struct, field

from trilha.core.web.answers import Written
from trilha.core.web.routes import Routes
from trilha.scim import urns
from trilha.scim.access import BY_TOKEN
from trilha.scim.answers import BaseAddress, Resource, answered, listed
from trilha.scim.errors import ScimError, not_found
from trilha.scim.parameters import PAGE_SIZE, DiscoveryQuery
from trilha.scim.schemas import SCHEMAS

routes = Routes("Discovery", "What this server can do.")
_ERRORS = ("403",)


class ServiceProviderConfig(Struct, frozen=True, rename="camel"):
    """What this server can do (RFC 7643 section 5)."""

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


class Described(Struct, frozen=True):
    """A ResourceType (RFC 7643 section 6) or a Schema (section 7)."""

    schemas: list[str]
    id: str
    name: str


class DescribedList(Struct, frozen=True, rename="camel"):
    schemas: list[str]
    total_results: int
    items_per_page: int
    start_index: int
    resources: list[Described] = field(name="Resources")


def _refuse_filter(query: DiscoveryQuery) -> None:
    """RFC 7644 section 4: a filter here is refused."""
    if query.filter is not None:
        raise ScimError(403, "What a server can do is not filtered.")


@routes.get("/ServiceProviderConfig", access=BY_TOKEN, errors=_ERRORS)
async def get_service_provider_config(
    query: DiscoveryQuery, base: BaseAddress
) -> Written[ServiceProviderConfig]:
    """Tell what this server can do."""
    _refuse_filter(query)
    return answered(service_provider_config(base))


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
        "schemaExtensions": [{"schema": urns.ENTERPRISE, "required": False}],
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


def _resource_type(described: Resource, base: str) -> Resource:
    meta = {"resourceType": "ResourceType", "location": f"{base}/ResourceTypes/{described['id']}"}
    return {"schemas": [urns.RESOURCE_TYPE], **described, "meta": meta}


def _schema(described: Resource, base: str) -> Resource:
    meta = {"resourceType": "Schema", "location": f"{base}/Schemas/{described['id']}"}
    return {"schemas": [urns.SCHEMA], **described, "meta": meta}


@routes.get("/ResourceTypes", access=BY_TOKEN, errors=_ERRORS)
async def list_resource_types(query: DiscoveryQuery, base: BaseAddress) -> Written[DescribedList]:
    """List what there is: users and groups."""
    _refuse_filter(query)
    return answered(listed([_resource_type(each, base) for each in _TYPES], len(_TYPES), 1, None))


@routes.get("/ResourceTypes/{name}", access=BY_TOKEN, errors=["404", *_ERRORS])
async def get_resource_type(name: str, query: DiscoveryQuery, base: BaseAddress) -> Written[Described]:
    """Read one resource type."""
    _refuse_filter(query)
    for each in _TYPES:
        if each["id"] == name:
            return answered(_resource_type(each, base))
    raise not_found("resource type")


@routes.get("/Schemas", access=BY_TOKEN, errors=_ERRORS)
async def list_schemas(query: DiscoveryQuery, base: BaseAddress) -> Written[DescribedList]:
    """List the schemas: what users and groups have."""
    _refuse_filter(query)
    return answered(listed([_schema(each, base) for each in SCHEMAS], len(SCHEMAS), 1, None))


@routes.get("/Schemas/{urn}", access=BY_TOKEN, errors=["404", *_ERRORS])
async def get_schema(urn: str, query: DiscoveryQuery, base: BaseAddress) -> Written[Described]:
    """Read one schema."""
    _refuse_filter(query)
    for each in SCHEMAS:
        if each["id"].lower() == urn.lower():
            return answered(_schema(each, base))
    raise not_found("schema")
