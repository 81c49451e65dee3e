"""Tickets, which a browser exchanges for a session, once, within a minute."""

from datetime import datetime
from uuid import UUID

from trilha.access.sso import unscoped
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.rules import AT_ONCE, TICKET, is_secret, new_secret
from trilha.access.sso.schema import Connection, FederatedIdentity, Ticket
from trilha.core.database import Database, Tx
from trilha.core.secrets import Keyring
from trilha.people.users.schema import User


async def issue(
    tx: Tx, user: User, connection: Connection, browser: bytes, identity: FederatedIdentity
) -> str:
    """Returns a ticket of 43 base64url characters. Raises SignInRefused if the person was just suspended."""
    ticket = new_secret()
    issued = await tx.execute(
        """
        INSERT INTO sso_tickets (tenant_id, fingerprint, user_id, epoch, connection_id, browser, subject,
                                 session_index, session_ends_at, expires_at)
        SELECT :tenant, CAST(:fingerprint AS bytea), id, session_epoch, CAST(:connection_id AS uuid),
               CAST(:browser AS bytea), CAST(:subject AS text), CAST(:session_index AS text),
               CAST(:session_ends_at AS timestamptz), CAST(:expires_at AS timestamptz)
        FROM users WHERE tenant_id = :tenant AND id = :user_id AND status = 'ACTIVE'
        RETURNING tenant_id
        """,
        fingerprint=_fingerprint(tx.keyring, ticket),
        user_id=user.id,
        connection_id=connection.id,
        browser=browser,
        subject=identity.subject,
        session_index=identity.session_index,
        session_ends_at=identity.session_ends_at,
        expires_at=tx.now + TICKET,
    )
    if not issued:
        raise SignInRefused("account_changed")
    return ticket


async def find_tenant(database: Database, ticket: str) -> UUID | None:
    """Returns the ticket's tenant, or None if the ticket is not ours."""
    if not is_secret(ticket):
        return None
    async with database.unscoped() as asked:
        return await unscoped.find_tenant_of_ticket(asked, _fingerprint(database.keyring, ticket))


async def use(tx: Tx, ticket: str, browser: bytes) -> Ticket | None:
    """Uses a ticket. Returns None if it expired, was used, belongs to another browser, or its connection is
    disabled.

    Of several simultaneous attempts one succeeds; the others wait for it and fail.
    """
    return await tx.find(
        Ticket,
        """
        UPDATE sso_tickets k SET used_at = :now
        FROM sso_connections c
        WHERE k.tenant_id = :tenant AND k.fingerprint = :fingerprint AND k.browser = :browser
              AND k.used_at IS NULL AND k.expires_at > :now
              AND c.tenant_id = :tenant AND c.id = k.connection_id AND c.enabled
        RETURNING k.user_id, k.epoch, k.connection_id, k.subject, k.session_index, k.session_ends_at
        """,
        fingerprint=_fingerprint(tx.keyring, ticket),
        browser=browser,
    )


async def note_session(tx: Tx, ticket: str, session_id: UUID, at: datetime) -> None:
    """Stores the session that the ticket became, and when."""
    await tx.execute(
        """
        UPDATE sso_tickets SET session_id = :session_id, used_at = :used_at
        WHERE tenant_id = :tenant AND fingerprint = :fingerprint
        """,
        fingerprint=_fingerprint(tx.keyring, ticket),
        session_id=session_id,
        used_at=at,
    )


async def end_session(tx: Tx, ticket: str, browser: bytes | None) -> UUID | None:
    """Ends the session that a used ticket became, and returns its person, or None if there is none.

    A browser may send its ticket several times at once; repetitions within `AT_ONCE` end nothing.
    """
    user_id: UUID | None = await tx.value(
        """
        DELETE FROM sessions s USING sso_tickets k
        WHERE k.tenant_id = :tenant AND k.fingerprint = :fingerprint
              AND (k.browser IS DISTINCT FROM CAST(:browser AS bytea) OR k.used_at <= :before)
              AND s.tenant_id = :tenant AND s.id = k.session_id
        RETURNING s.user_id
        """,
        fingerprint=_fingerprint(tx.keyring, ticket),
        browser=browser,
        before=tx.now - AT_ONCE,
    )
    return user_id


def _fingerprint(keyring: Keyring, ticket: str) -> bytes:
    return keyring.fingerprint(f"sso-ticket:{ticket}")
