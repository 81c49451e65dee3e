"""The SQL of e-mail domains."""

from trilha.core.database import Tx


async def is_verified(tx: Tx, domain: str) -> bool:
    """Whether the tenant has shown that this domain, in its stored form, is its own."""
    verified: bool = await tx.value(
        """
        SELECT EXISTS (SELECT FROM email_domains
                       WHERE tenant_id = :tenant AND domain = :domain AND verified_at IS NOT NULL)
        """,
        domain=domain,
    )
    return verified
