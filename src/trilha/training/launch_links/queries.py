"""The SQL of launch links."""

from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.launch_links.rules import AT_ONCE, RETENTION
from trilha.training.launch_links.schema import NewLaunchLink, StoredLink


async def insert(
    tx: Tx, fingerprint: bytes, user_id: UUID, enrollment_id: UUID, link: NewLaunchLink, expires_at: datetime
) -> bool:
    """Returns False if the person was suspended meanwhile."""
    inserted = await tx.execute(
        """
        INSERT INTO launch_links (tenant_id, fingerprint, user_id, epoch, enrollment_id, module_id,
                                  return_url, created_at, expires_at, delete_at)
        SELECT :tenant, CAST(:fingerprint AS bytea), id, session_epoch, CAST(:enrollment_id AS uuid),
               CAST(:module_id AS uuid), CAST(:return_url AS text), CAST(:now AS timestamptz),
               CAST(:expires_at AS timestamptz), CAST(:delete_at AS timestamptz)
        FROM users WHERE tenant_id = :tenant AND id = :user_id AND status = 'ACTIVE'
        RETURNING tenant_id
        """,
        fingerprint=fingerprint,
        user_id=user_id,
        enrollment_id=enrollment_id,
        module_id=link.module_id,
        return_url=link.return_url,
        expires_at=expires_at,
        delete_at=expires_at + RETENTION,
    )
    return bool(inserted)


async def find_usable(tx: Tx, fingerprint: bytes) -> StoredLink | None:
    """Returns a link that has neither expired nor been used; locks it until the transaction ends."""
    locked = """
        SELECT user_id FROM launch_links
        WHERE tenant_id = :tenant AND fingerprint = :fingerprint AND used_at IS NULL AND expires_at > :now
        FOR UPDATE
    """
    if await tx.value(locked, fingerprint=fingerprint) is None:
        return None
    return await tx.find(
        StoredLink,
        """
        SELECT k.user_id, k.epoch, k.enrollment_id, k.module_id, u.name
        FROM launch_links k JOIN users u ON u.tenant_id = k.tenant_id AND u.id = k.user_id
        WHERE k.tenant_id = :tenant AND k.fingerprint = :fingerprint
        """,
        fingerprint=fingerprint,
    )


async def use(tx: Tx, fingerprint: bytes, session_id: UUID, at: datetime, *, begins: bool) -> None:
    """Uses a locked link up, for a session that began with it or that it has joined."""
    await tx.execute(
        """
        UPDATE launch_links SET used_at = :used_at, session_id = :session_id, begins = :begins
        WHERE tenant_id = :tenant AND fingerprint = :fingerprint
        """,
        fingerprint=fingerprint,
        session_id=session_id,
        begins=begins,
        used_at=at,
    )


async def find_session_of_used(tx: Tx, fingerprint: bytes) -> UUID | None:
    """Returns the session that began with a link, unless the link was used just now."""
    session_id: UUID | None = await tx.value(
        """
        SELECT session_id FROM launch_links
        WHERE tenant_id = :tenant AND fingerprint = :fingerprint AND begins AND used_at <= :before
        """,
        fingerprint=fingerprint,
        before=tx.now - AT_ONCE,
    )
    return session_id


async def find_return_url(tx: Tx, session_id: UUID, enrollment_id: UUID) -> str | None:
    """Returns the address of the last link that has brought this session to this enrollment."""
    url: str | None = await tx.value(
        """
        SELECT return_url FROM launch_links
        WHERE tenant_id = :tenant AND session_id = :session_id AND enrollment_id = :enrollment_id
        ORDER BY used_at DESC LIMIT 1
        """,
        session_id=session_id,
        enrollment_id=enrollment_id,
    )
    return url


async def delete_old(tx: Tx, limit: int = 1000) -> int:
    """Deletes links whose session is over, up to a limit."""
    return await tx.execute(
        """
        DELETE FROM launch_links WHERE tenant_id = :tenant AND fingerprint IN (
            SELECT fingerprint FROM launch_links
            WHERE tenant_id = :tenant AND delete_at < :now LIMIT :limit)
        """,
        limit=limit,
    )


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Deletes the links of an erased person."""
    await tx.execute(
        "DELETE FROM launch_links WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
