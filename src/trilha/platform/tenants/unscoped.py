"""Look-ups of tenants before the tenant is known."""

from uuid import UUID

from trilha.core.database import Unscoped
from trilha.platform.tenants.schema import Sign, Tenant


async def find_by_slug(unscoped: Unscoped, slug: str) -> Tenant | None:
    return await unscoped.find(Tenant, "SELECT * FROM tenants WHERE slug = :slug", slug=slug)


_SIGN = """
    SELECT t.slug, t.name, t.locale, t.environment,
           COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone, c.brand_colour, c.logo_name
    FROM tenants t LEFT JOIN tenant_settings c ON c.tenant_id = t.id
    WHERE t.status = 'ACTIVE'"""


async def find_sign(unscoped: Unscoped, slug: str) -> Sign | None:
    """Returns the sign of an active tenant, or None."""
    return await unscoped.find(Sign, f"{_SIGN} AND t.slug = :slug", slug=slug)


async def find_sign_of(unscoped: Unscoped, tenant_id: UUID) -> Sign | None:
    return await unscoped.find(Sign, f"{_SIGN} AND t.id = :tenant_id", tenant_id=tenant_id)


async def find_logo(unscoped: Unscoped, name: str) -> bytes | None:
    """Returns an image by its name, whose tenant does not matter because the name is derived from the
    content.
    """
    content: bytes | None = await unscoped.value(
        "SELECT logo FROM tenant_settings WHERE logo_name = :name LIMIT 1", name=name
    )
    return content


async def list_tenants(unscoped: Unscoped, after: str = "", limit: int | None = None) -> list[Tenant]:
    """Lists the tenants whose slug is greater than `after`, in order; all without a limit."""
    return await unscoped.list(
        Tenant,
        "SELECT * FROM tenants WHERE slug > :after ORDER BY slug LIMIT :limit::bigint",
        after=after,
        limit=limit,
    )
