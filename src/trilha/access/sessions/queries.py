"""The SQL of sessions within a tenant."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from msgspec import structs

from trilha.access.sessions.rules import ABSOLUTE, IDLE, LINKS, LinkPurpose
from trilha.access.sessions.schema import Account, NewSession, SessionRow
from trilha.core.database import Tx
from trilha.core.types import Timestamp

# Tables with the ways in which a person signs in.
_OF_USER = (
    *("sessions", "recovery_codes", "authenticators", "password_resets", "email_changes"),
    *("passkeys", "passkey_challenges"),
)
_ACCOUNT = """
    SELECT u.id, u.email, u.name, u.role, u.status, u.password_hash, u.must_change_password, u.session_epoch,
           COALESCE(u.locale, t.locale) AS locale,
           COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone,
           EXISTS (SELECT FROM authenticators a WHERE a.tenant_id = u.tenant_id AND a.user_id = u.id
                   AND a.confirmed_at IS NOT NULL) AS has_authenticator,
           COALESCE(c.second_factor_required, false) AS second_factor_required,
           NOT COALESCE(c.sso_required, false) OR (u.break_glass AND u.role = 'admin') AS password_opens
    FROM users u
    JOIN tenants t ON t.id = u.tenant_id
    LEFT JOIN tenant_settings c ON c.tenant_id = u.tenant_id
    WHERE u.tenant_id = :tenant"""


async def find_account(tx: Tx, email: str) -> Account | None:
    return await tx.find(Account, f"{_ACCOUNT} AND u.email = :email", email=email)


async def get_account(tx: Tx, user_id: UUID) -> Account:
    """Returns the account, locked until the transaction ends. Raises LookupError."""
    # On a cluster, rows cannot be locked while they are joined with those of a reference table.
    locked = "SELECT FROM users WHERE tenant_id = :tenant AND id = :user_id FOR UPDATE"
    await tx.execute(locked, user_id=user_id)
    account = await tx.find(Account, f"{_ACCOUNT} AND u.id = :user_id", user_id=user_id)
    if account is None:
        raise LookupError(user_id)
    return account


async def get_slug(tx: Tx) -> str:
    """Returns the tenant's slug."""
    slug: str = await tx.value("SELECT slug FROM tenants WHERE id = :tenant")
    return slug


async def insert(
    tx: Tx, account: Account, fingerprint: bytes, token: str, second_factor: str, agent: str
) -> NewSession | None:
    """Returns None if the person is no longer active, or has a new password, since the lookup."""
    return await tx.find(
        NewSession,
        """
        WITH person AS (
            SELECT id, session_epoch FROM users
            WHERE tenant_id = :tenant AND id = :user_id AND session_epoch = :epoch AND status = 'ACTIVE'
            FOR NO KEY UPDATE), -- who suspends or erases the person comes before or after, not in between
        inserted AS (
            INSERT INTO sessions (tenant_id, user_id, fingerprint, epoch, second_factor, agent, source,
                                  last_seen_at, idle_ends_at, expires_at, created_at)
            SELECT CAST(:tenant AS uuid), id, CAST(:fingerprint AS bytea), session_epoch,
                   CAST(:second_factor AS text), CAST(:agent AS text), CAST(:source AS text),
                   CAST(:now AS timestamptz),
                   CAST(:idle_ends_at AS timestamptz), CAST(:expires_at AS timestamptz),
                   CAST(:now AS timestamptz)
            FROM person
            RETURNING id, expires_at, user_id)
        SELECT CAST(:token AS text) AS token, id, expires_at, user_id FROM inserted
        """,
        user_id=account.id,
        epoch=account.session_epoch,
        fingerprint=fingerprint,
        token=token,
        second_factor=second_factor,
        agent=agent,
        source=tx.actor.source,
        idle_ends_at=tx.now + IDLE,
        expires_at=tx.now + ABSOLUTE,
    )


async def note_way_in(
    tx: Tx,
    session: NewSession,
    connection_id: UUID,
    subject: str,
    session_index: str | None,
    ends_at: datetime | None,
) -> NewSession:
    """Records that a provider started the session, and when it must end at the latest."""
    expires_at = await tx.value(
        """
        UPDATE sessions SET connection_id = :connection_id, subject = :subject,
                            session_index = :session_index,
                            expires_at = LEAST(expires_at, CAST(:ends_at AS timestamptz))
        WHERE tenant_id = :tenant AND id = :session_id RETURNING expires_at
        """,
        session_id=session.id,
        connection_id=connection_id,
        subject=subject,
        session_index=session_index,
        ends_at=ends_at,
    )
    return structs.replace(session, expires_at=Timestamp(expires_at))


async def note_link(tx: Tx, session_id: UUID) -> None:
    """Records that a launch link started the session."""
    await tx.execute(
        "UPDATE sessions SET by_link = true WHERE tenant_id = :tenant AND id = :session_id",
        session_id=session_id,
    )


async def note_login(tx: Tx, user_id: UUID) -> None:
    await tx.execute(
        "UPDATE users SET last_login_at = :now WHERE tenant_id = :tenant AND id = :user_id", user_id=user_id
    )


async def renew(tx: Tx, session_id: UUID, fingerprint: bytes, second_factor: str | None = None) -> None:
    """Replaces the session's token and moves it to the person's current epoch."""
    await tx.execute(
        """
        UPDATE sessions s SET fingerprint = :fingerprint, epoch = u.session_epoch,
                              second_factor = COALESCE(:second_factor, s.second_factor)
        FROM users u
        WHERE s.tenant_id = :tenant AND s.id = :session_id AND u.tenant_id = :tenant AND u.id = s.user_id
        """,
        session_id=session_id,
        fingerprint=fingerprint,
        second_factor=second_factor,
    )


async def delete(tx: Tx, user_id: UUID, session_id: UUID) -> bool:
    """Returns False if the person has no such session."""
    return bool(
        await tx.execute(
            "DELETE FROM sessions WHERE tenant_id = :tenant AND user_id = :user_id AND id = :session_id",
            user_id=user_id,
            session_id=session_id,
        )
    )


async def delete_any(tx: Tx, session_id: UUID) -> UUID | None:
    """Deletes a session whoever has it; returns that person, or None if there is no such session."""
    user_id: UUID | None = await tx.value(
        "DELETE FROM sessions WHERE tenant_id = :tenant AND id = :session_id RETURNING user_id",
        session_id=session_id,
    )
    return user_id


async def delete_all(tx: Tx, user_id: UUID, *, except_id: UUID | None = None) -> int:
    """Deletes the person's sessions, except one, and returns how many there were."""
    return await tx.execute(
        """
        DELETE FROM sessions
        WHERE tenant_id = :tenant AND user_id = :user_id AND id IS DISTINCT FROM CAST(:except_id AS uuid)
        """,
        user_id=user_id,
        except_id=except_id,
    )


async def delete_expired(tx: Tx, limit: int) -> int:
    """Deletes expired sessions and returns how many there were."""
    return await tx.execute(
        """
        DELETE FROM sessions WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM sessions WHERE tenant_id = :tenant AND expires_at < :now LIMIT :limit)
        """,
        limit=limit,
    )


async def list_live(tx: Tx, user_id: UUID) -> list[SessionRow]:
    """Returns the live sessions, the latest first, at most 100."""
    return await tx.list(
        SessionRow,
        """
        SELECT s.id, s.agent, s.source, s.last_seen_at, s.expires_at, s.created_at
        FROM sessions s JOIN users u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
        WHERE s.tenant_id = :tenant AND s.user_id = :user_id AND s.epoch = u.session_epoch
              AND s.expires_at > :now AND s.idle_ends_at > :now
        ORDER BY s.created_at DESC, s.id LIMIT 100
        """,
        user_id=user_id,
    )


async def set_password(tx: Tx, user_id: UUID, password_hash: str) -> None:
    """Sets a password that the person chose, and ends all their sessions."""
    await tx.execute(
        """
        UPDATE users SET password_hash = :password_hash, must_change_password = false, invitation_due = false,
                         session_epoch = session_epoch + 1, updated_at = :now
        WHERE tenant_id = :tenant AND id = :user_id
        """,
        user_id=user_id,
        password_hash=password_hash,
    )


async def put_links(tx: Tx, purpose: LinkPurpose, fingerprints: Mapping[UUID, bytes]) -> None:
    """Stores for each of these people a link to choose a password.

    It replaces an earlier link of the same purpose; links of other purposes stay valid.
    """
    if not fingerprints:
        return
    await tx.execute(
        """
        INSERT INTO password_resets AS r
            (tenant_id, user_id, purpose, email, fingerprint, expires_at, created_at)
        SELECT :tenant, new.user_id, CAST(:purpose AS text), u.email, new.fingerprint,
               CAST(:expires_at AS timestamptz), CAST(:now AS timestamptz)
        FROM unnest(:user_ids::uuid[], :fingerprints::bytea[]) AS new (user_id, fingerprint)
        JOIN users u ON u.tenant_id = :tenant AND u.id = new.user_id
        ON CONFLICT (tenant_id, user_id, purpose) DO UPDATE
        SET email = excluded.email, fingerprint = excluded.fingerprint, expires_at = excluded.expires_at,
            created_at = excluded.created_at
        """,
        user_ids=list(fingerprints),
        fingerprints=list(fingerprints.values()),
        purpose=purpose,
        expires_at=tx.now + LINKS[purpose],
    )


async def delete_links(tx: Tx, user_id: UUID) -> None:
    """Deletes every password link of the person."""
    await tx.execute(
        "DELETE FROM password_resets WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def take_link(tx: Tx, fingerprint: bytes) -> UUID | None:
    """Uses up a link and returns its person, or None if the link is not valid."""
    user_id: UUID | None = await tx.value(
        """
        DELETE FROM password_resets r USING users u
        WHERE r.tenant_id = :tenant AND r.fingerprint = :fingerprint AND r.expires_at > :now
              AND u.tenant_id = :tenant AND u.id = r.user_id AND u.email = r.email
        RETURNING r.user_id
        """,
        fingerprint=fingerprint,
    )
    return user_id


async def delete_all_of_user(tx: Tx, user_id: UUID) -> None:
    """Deletes everything stored about how a person signs in."""
    for table in _OF_USER:
        await tx.execute(
            f"DELETE FROM {table} WHERE tenant_id = :tenant AND user_id = :user_id",  # noqa: S608
            user_id=user_id,
        )
