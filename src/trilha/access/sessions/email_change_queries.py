"""The SQL of unconfirmed changes of e-mail addresses."""

from uuid import UUID

from trilha.access.sessions.rules import EMAIL_CHANGE_LINK
from trilha.access.sessions.schema import EmailChange
from trilha.core.database import Tx

# A change is valid only while the person still has the old address.
_CURRENT = """
    c.tenant_id = :tenant AND c.user_id = :user_id AND c.expires_at > :now
    AND u.tenant_id = :tenant AND u.id = c.user_id AND u.email = c.old_email AND u.erased_at IS NULL
"""


async def put(tx: Tx, user_id: UUID, old_email: str, new_email: str, fingerprint: bytes) -> None:
    """Stores a change, replacing an earlier one of the same person, whose link stops working."""
    await tx.execute(
        """
        INSERT INTO email_changes
            (tenant_id, user_id, old_email, new_email, fingerprint, expires_at, created_at)
        VALUES (:tenant, :user_id, :old_email, :new_email, :fingerprint, :expires_at, :now)
        ON CONFLICT (tenant_id, user_id) DO UPDATE
        SET old_email = excluded.old_email, new_email = excluded.new_email,
            fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, created_at = :now
        """,
        user_id=user_id,
        old_email=old_email,
        new_email=new_email,
        fingerprint=fingerprint,
        expires_at=tx.now + EMAIL_CHANGE_LINK,
    )


async def find(tx: Tx, user_id: UUID) -> EmailChange | None:
    return await tx.find(
        EmailChange,
        f"""
        SELECT c.user_id, c.old_email, c.new_email, c.expires_at, c.created_at
        FROM email_changes c, users u WHERE {_CURRENT}
        """,  # noqa: S608
        user_id=user_id,
    )


async def take(
    tx: Tx, user_id: UUID, fingerprint: bytes | None = None, *, active: bool = False
) -> EmailChange | None:
    """Removes and returns the pending change, so that only one of several confirmations succeeds.

    With a `fingerprint`, only the change of that link; with `active`, only that of an active person.
    """
    return await tx.find(
        EmailChange,
        f"""
        DELETE FROM email_changes c USING users u
        WHERE {_CURRENT} AND c.fingerprint = COALESCE(CAST(:fingerprint AS bytea), c.fingerprint)
              AND (u.status = 'ACTIVE' OR NOT CAST(:active AS boolean))
        RETURNING c.user_id, c.old_email, c.new_email, c.expires_at, c.created_at
        """,  # noqa: S608
        user_id=user_id,
        fingerprint=fingerprint,
        active=active,
    )
