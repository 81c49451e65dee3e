"""Finds the tenant of a launch link before it is known."""

from uuid import UUID

from trilha.core.database import Unscoped


async def find_tenant(unscoped: Unscoped, fingerprint: bytes) -> UUID | None:
    tenant: UUID | None = await unscoped.value(
        """
        SELECT k.tenant_id FROM launch_links k JOIN tenants t ON t.id = k.tenant_id
        WHERE k.fingerprint = :fingerprint AND t.status = 'ACTIVE'
        """,
        fingerprint=fingerprint,
    )
    return tenant
