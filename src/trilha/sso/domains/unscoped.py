"""Whose a domain is, before a tenant is known."""

from uuid import UUID

from trilha.core.database import Unscoped


async def find_owner(unscoped: Unscoped, domain: str) -> UUID | None:
    """The active tenant that has verified this domain, in its stored form."""
    owner: UUID | None = await unscoped.value(
        """
        SELECT d.owner FROM domain_owners d JOIN tenants t ON t.id = d.owner
        WHERE d.domain = :domain AND t.status = 'ACTIVE'
        """,
        domain=domain,
    )
    return owner
