"""Finds where the people of a domain sign in, before a tenant is known."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Unscoped


class Provider(Struct, frozen=True):
    """The connection that the people of a domain sign in with. `kind` is OIDC or SAML."""

    tenant_slug: str
    connection_id: UUID
    kind: str


async def find_provider(unscoped: Unscoped, domain: str) -> Provider | None:
    """Returns the enabled connection of the domain's owner; of several, the oldest."""
    return await unscoped.find(
        Provider,
        """
        SELECT t.slug AS tenant_slug, c.id AS connection_id, c.kind
        FROM domain_owners d
        JOIN tenants t ON t.id = d.owner AND t.status = 'ACTIVE'
        JOIN sso_connection_domains m ON m.tenant_id = d.owner AND m.domain = d.domain
        JOIN sso_connections c ON c.tenant_id = m.tenant_id AND c.id = m.connection_id AND c.enabled
        WHERE d.domain = :domain
        ORDER BY c.created_at, c.id LIMIT 1
        """,
        domain=domain,
    )
