"""The SQL of e-mail domains. Whose a domain is, before a tenant is known, is asked in `unscoped.py`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.access.sso.domains.schema import EmailDomain
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.platform.mail.schema import Recipient

_COLUMNS = columns_of(EmailDomain)
_SELECT = f"SELECT {_COLUMNS} FROM email_domains WHERE tenant_id = :tenant"  # noqa: S608


async def is_verified(tx: Tx, domain: str) -> bool:
    """Returns whether the tenant has verified this domain, given in its stored form."""
    verified: bool = await tx.value(
        """
        SELECT EXISTS (SELECT FROM email_domains
                       WHERE tenant_id = :tenant AND domain = :domain AND verified_at IS NOT NULL)
        """,
        domain=domain,
    )
    return verified


async def list_all(tx: Tx) -> list[EmailDomain]:
    return await tx.list(EmailDomain, f"{_SELECT} ORDER BY domain")


async def list_verified(tx: Tx) -> list[EmailDomain]:
    return await tx.list(EmailDomain, f"{_SELECT} AND verified_at IS NOT NULL ORDER BY domain")


async def find(tx: Tx, domain: str) -> EmailDomain | None:
    return await tx.find(EmailDomain, f"{_SELECT} AND domain = :domain", domain=domain)


async def get(tx: Tx, domain_id: UUID, *, lock: bool = False) -> EmailDomain:
    """Raises NotFound."""
    sql = f"{_SELECT} AND id = :domain_id{' FOR UPDATE' if lock else ''}"
    found = await tx.find(EmailDomain, sql, domain_id=domain_id)
    if found is None:
        raise NotFound("domain_not_found")
    return found


async def insert(tx: Tx, domain: str, token: str) -> EmailDomain | None:
    """Returns None if the tenant has already claimed it."""
    return await tx.find(
        EmailDomain,
        f"""
        INSERT INTO email_domains (tenant_id, domain, token, created_at, updated_at)
        VALUES (:tenant, :domain, :token, :now, :now) ON CONFLICT (tenant_id, domain) DO NOTHING
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        domain=domain,
        token=token,
    )


async def count(tx: Tx) -> int:
    number: int = await tx.value("SELECT count(*) FROM email_domains WHERE tenant_id = :tenant")
    return number


async def take(tx: Tx, domain: str) -> bool:
    """Makes this tenant the owner of the domain. Returns False if another tenant owns it."""
    await tx.execute(
        "INSERT INTO domain_owners (domain, owner) VALUES (:domain, :tenant) ON CONFLICT DO NOTHING",
        domain=domain,
    )
    own = "SELECT EXISTS (SELECT FROM domain_owners WHERE domain = :domain AND owner = :tenant)"
    taken: bool = await tx.value(own, domain=domain)
    return taken


async def give_up(tx: Tx, domain: str) -> None:
    await tx.execute("DELETE FROM domain_owners WHERE domain = :domain AND owner = :tenant", domain=domain)


async def save(tx: Tx, domain_id: UUID, values: dict[str, Any]) -> EmailDomain:
    """Updates these columns."""
    assigned = ", ".join(f"{name} = :{name}" for name in values)
    saved = await tx.find(
        EmailDomain,
        f"""
        UPDATE email_domains SET {assigned}, updated_at = :now
        WHERE tenant_id = :tenant AND id = :domain_id RETURNING {_COLUMNS}
        """,  # noqa: S608
        domain_id=domain_id,
        **values,
    )
    if saved is None:
        raise NotFound("domain_not_found")
    return saved


async def delete(tx: Tx, domain_id: UUID) -> EmailDomain | None:
    return await tx.find(
        EmailDomain,
        f"DELETE FROM email_domains WHERE tenant_id = :tenant AND id = :domain_id RETURNING {_COLUMNS}",  # noqa: S608
        domain_id=domain_id,
    )


async def claim_due(tx: Tx, until: datetime, limit: int) -> Sequence[EmailDomain]:
    """Claims domains whose check is due; other workers leave them alone until `until`."""
    return await tx.list(
        EmailDomain,
        f"""
        UPDATE email_domains SET check_due_at = :until
        WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM email_domains WHERE tenant_id = :tenant AND check_due_at < :now
            ORDER BY check_due_at LIMIT :limit FOR UPDATE SKIP LOCKED)
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        until=until,
        limit=limit,
    )


async def list_administrators(tx: Tx) -> list[Recipient]:
    """Returns the administrators who are notified about problems with sign-in."""
    return await tx.list(
        Recipient,
        """
        SELECT u.email, u.name, COALESCE(u.locale, t.locale) AS locale,
               COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone, u.id AS user_id
        FROM users u JOIN tenants t ON t.id = u.tenant_id
        LEFT JOIN tenant_settings c ON c.tenant_id = u.tenant_id
        WHERE u.tenant_id = :tenant AND u.role = 'admin' AND u.status = 'ACTIVE' ORDER BY u.id LIMIT 100
        """,
    )
