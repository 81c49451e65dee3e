"""Finds the tenant of a sign-in before it is known."""

from typing import Literal
from uuid import UUID

from trilha.core.database import Unscoped


async def find_tenant_of_flow(unscoped: Unscoped, fingerprint: bytes) -> UUID | None:
    tenant: UUID | None = await unscoped.value(
        """
        SELECT f.tenant_id FROM sso_flows f JOIN tenants t ON t.id = f.tenant_id
        WHERE f.fingerprint = :fingerprint AND t.status = 'ACTIVE'
        """,
        fingerprint=fingerprint,
    )
    return tenant


async def find_tenant_of_ticket(unscoped: Unscoped, fingerprint: bytes) -> UUID | None:
    tenant: UUID | None = await unscoped.value(
        """
        SELECT k.tenant_id FROM sso_tickets k JOIN tenants t ON t.id = k.tenant_id
        WHERE k.fingerprint = :fingerprint AND t.status = 'ACTIVE'
        """,
        fingerprint=fingerprint,
    )
    return tenant


async def find_tenant_of_connection(
    unscoped: Unscoped, connection_id: UUID, kind: Literal["OIDC", "SAML"]
) -> UUID | None:
    """Returns None if there is no such connection, or if several tenants had one with this id."""
    rows = await unscoped.rows(
        """
        SELECT c.tenant_id FROM sso_connections c JOIN tenants t ON t.id = c.tenant_id
        WHERE c.id = :connection_id AND c.kind = :kind AND t.status = 'ACTIVE' LIMIT 2
        """,
        connection_id=connection_id,
        kind=kind,
    )
    return rows[0]["tenant_id"] if len(rows) == 1 else None
