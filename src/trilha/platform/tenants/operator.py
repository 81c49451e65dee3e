"""Operations on tenants, with the database owner's connection.

The serving roles lack these permissions: no request can create, suspend or wipe a tenant.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from trilha.core.clock import Clock
from trilha.core.credentials import SYSTEM, Actor
from trilha.core.database import Connection
from trilha.core.database.codecs import set_codecs
from trilha.platform.tenants.schema import NewTenant, Tenant


class TenantError(ValueError):
    """An operation that cannot be done. The message is one sentence."""


class Operator:
    def __init__(self, owner: Connection, actor: Actor) -> None:
        self._owner = owner
        self._actor = actor

    async def create(self, new: NewTenant) -> Tenant:
        """Creates a tenant. Raises TenantError if the slug is taken."""
        tenant = await self._owner.find(
            Tenant,
            """
            INSERT INTO tenants (slug, name, environment, locale, created_at)
            VALUES (:slug, :name, :environment, :locale, :now)
            ON CONFLICT (slug) DO NOTHING RETURNING *
            """,
            slug=new.slug,
            name=new.name,
            environment=new.environment,
            locale=new.locale,
        )
        if tenant is None:
            raise TenantError(f"There is a tenant with the slug {new.slug}.")
        await self._enter(tenant)
        await self._owner.execute("INSERT INTO tenant_homes (tenant_id) VALUES (:id)", id=tenant.id)
        await self._record("tenant.created", tenant)
        return tenant

    async def list(self) -> list[Tenant]:
        return await self._owner.list(Tenant, "SELECT * FROM tenants ORDER BY slug")

    async def set_status(self, slug: str, status: str) -> Tenant:
        """Changes a tenant's status. Raises TenantError if the tenant does not exist or is being deleted."""
        changed = await self._owner.find(
            Tenant,
            """
            UPDATE tenants SET status = :status
            WHERE slug = :slug AND status NOT IN (:status, 'DELETING') RETURNING *
            """,
            status=status,
            slug=slug,
        )
        if changed is None:
            unchanged = await self._get(slug)
            if unchanged.status == "DELETING":
                raise TenantError(f"{slug} is being deleted.")
            return unchanged
        await self._record("tenant.suspended" if status == "SUSPENDED" else "tenant.activated", changed)
        return changed

    async def find_disposable(self, slug: str) -> Tenant:
        """Returns a test environment. Raises TenantError for any other tenant."""
        tenant = await self._get(slug)
        if tenant.environment != "homologation":
            raise TenantError(f"{slug} is not a homologation tenant; only those can be wiped.")
        return tenant

    async def _get(self, slug: str) -> Tenant:
        tenant = await self._owner.find(Tenant, "SELECT * FROM tenants WHERE slug = :slug", slug=slug)
        if tenant is None:
            raise TenantError(f"There is no tenant with the slug {slug}.")
        return tenant

    async def _record(self, action: str, tenant: Tenant) -> None:
        await self._enter(tenant)
        await self._owner.execute(
            """
            INSERT INTO audit_records (tenant_id, action, target_id, target_name, actor_kind, actor, source,
                                       detail, created_at)
            VALUES (:id, :action, :id, :name, :actor_kind, :actor, :source, '{}', :now)
            """,
            id=tenant.id,
            action=action,
            name=tenant.slug,
            actor_kind=self._actor.kind,
            actor=self._actor.name,
            source=self._actor.source,
        )

    async def _enter(self, tenant: Tenant) -> None:
        """Names the tenant to row-level security, which also applies to the owner."""
        await self._owner.execute(f"SET LOCAL trilha.tenant = '{tenant.id}'")


@asynccontextmanager
async def operator(url: str, clock: Clock, actor: Actor = SYSTEM) -> AsyncIterator[Operator]:
    """Opens a transaction as the database owner."""
    async with begin_owner(url, clock) as owner:
        yield Operator(owner, actor)


@asynccontextmanager
async def begin_owner(url: str, clock: Clock) -> AsyncIterator[Connection]:
    """Opens a transaction as the database owner, for statements of any kind."""
    connection = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    try:
        await set_codecs(connection)
        async with connection.transaction():
            yield Connection(connection, clock)
    finally:
        await connection.close()
