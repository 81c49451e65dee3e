"""Look-ups of tenants before one is known."""

from trilha.core.database import Unscoped
from trilha.tenants.schema import Tenant


async def find_by_slug(unscoped: Unscoped, slug: str) -> Tenant | None:
    return await unscoped.find(Tenant, "SELECT * FROM tenants WHERE slug = :slug", slug=slug)
