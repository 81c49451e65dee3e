"""Look-ups of tenants before one is known."""

from trilha.core.database import Unscoped
from trilha.tenants.schema import Tenant


async def find_by_slug(unscoped: Unscoped, slug: str) -> Tenant | None:
    return await unscoped.find(Tenant, "SELECT * FROM tenants WHERE slug = :slug", slug=slug)


async def find_logo(unscoped: Unscoped, name: str) -> bytes | None:
    """An image by its name, whichever tenant's it is: the name is made of the content."""
    content: bytes | None = await unscoped.value(
        "SELECT logo FROM tenant_settings WHERE logo_name = :name LIMIT 1", name=name
    )
    return content
