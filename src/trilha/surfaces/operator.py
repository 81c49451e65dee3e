"""The surface /operator/v1: tenants, their usage and their quotas, for the operator of the installation.

Without a token in the settings, it answers 404. The token gives access to no other surface.
"""

import hmac
from collections.abc import Sequence
from typing import Annotated, ClassVar
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.credentials import Actor
from trilha.core.database import Database
from trilha.core.errors import Failure, NotFound, Unauthenticated
from trilha.core.web.bearer import bearer_token
from trilha.core.web.callers import Caller, KnownCredentials, RequestCredentials
from trilha.core.web.rate_limits import Hit
from trilha.core.web.request import Request
from trilha.core.web.routes import Envelope, Routes
from trilha.core.web.surface import Surface
from trilha.platform.tenants import unscoped
from trilha.platform.tenants.quotas import actions as quota_actions
from trilha.platform.tenants.quotas import queries as quota_queries
from trilha.platform.tenants.quotas.schema import Quotas
from trilha.platform.tenants.schema import Month, Tenant
from trilha.platform.tenants.usage.rules import find_month
from trilha.settings import Settings
from trilha.training.reports.tenant_usage import TenantUsage, load_usage

routes = Routes("Operator", "Tenants, their usage and their quotas.")


class OperatorIdentity:
    """Identifies the operator by the token of the settings."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    async def present(self, request: Request) -> RequestCredentials:
        return RequestCredentials(failure=self._find_failure(request))

    async def identify(
        self, request: Request, presented: RequestCredentials, known_credentials: KnownCredentials
    ) -> Caller:
        return Caller(failure=presented.failure, address=request.source)

    def _find_failure(self, request: Request) -> Failure | None:
        if self._token is None:
            return NotFound("route_not_found")
        try:
            token = bearer_token(request.all_headers(b"authorization"))
        except Unauthenticated as failure:
            return failure
        if hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        return Unauthenticated("credential_invalid")


class OperatorAccess(Struct, frozen=True):
    """Allows the operator alone."""

    refusals: ClassVar[Sequence[str]] = ("credential_missing", "credential_invalid")

    def check(self, caller: Caller) -> None:
        if caller.failure is not None:
            raise caller.failure


class TenantsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """`after` is the slug of the last tenant of the page before."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    after: str | None = None


class TenantList(Struct, frozen=True):
    data: list[Tenant]
    has_more: bool


class UsageQuery(Struct, frozen=True, forbid_unknown_fields=True):
    month: Month | None = None


OPERATOR = OperatorAccess()


@routes.get("/tenants", access=OPERATOR)
async def list_tenants(database: Database, query: TenantsQuery) -> TenantList:
    """List the tenants by slug."""
    async with database.unscoped() as connection:
        tenants = await unscoped.list_tenants(connection, query.after or "", query.limit + 1)
    return TenantList(tenants[: query.limit], len(tenants) > query.limit)


@routes.get("/tenants/{slug}/usage", access=OPERATOR)
async def get_usage(database: Database, slug: str, query: UsageQuery) -> Envelope[TenantUsage]:
    """Return what a tenant used in a month, by default in this one."""
    tenant_id = await _find_tenant(database, slug)
    async with database.transaction(tenant_id, read_only=True) as tx:
        month = query.month.first_day() if query.month else find_month(tx.now)
        return Envelope(await load_usage(tx, slug, month))


@routes.get("/tenants/{slug}/quotas", access=OPERATOR)
async def get_quotas(database: Database, slug: str) -> Envelope[Quotas]:
    """Return the quotas of a tenant."""
    async with database.transaction(await _find_tenant(database, slug), read_only=True) as tx:
        return Envelope(await quota_queries.get(tx))


@routes.put("/tenants/{slug}/quotas", access=OPERATOR)
async def set_quotas(database: Database, caller: Caller, slug: str, data: Quotas) -> Envelope[Quotas]:
    """Replace the quotas of a tenant. A quota that is left out is removed."""
    actor = Actor("operator", "operator API", caller.address)
    async with database.transaction(await _find_tenant(database, slug), actor=actor) as tx:
        return Envelope(await quota_actions.set_quotas(tx, data))


async def _find_tenant(database: Database, slug: str) -> UUID:
    async with database.unscoped() as connection:
        tenant = await unscoped.find_by_slug(connection, slug)
    if tenant is None:
        raise NotFound("tenant_not_found")
    return tenant.id


def surface(settings: Settings) -> Surface:
    def limits(request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        if settings.operator_token is None:
            return ()
        return [Hit(f"operator:{request.counted_as}", settings.limit_v1)]

    return Surface(
        name="operator",
        prefixes=["/operator/v1"],
        features=[routes],
        identity=OperatorIdentity(settings.operator_token),
        limits=limits,
        headers={"cache-control": "no-store"},
    )
