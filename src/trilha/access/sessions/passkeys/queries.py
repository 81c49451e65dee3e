"""The SQL of passkeys and their challenges."""

from uuid import UUID

from trilha.access.sessions.passkeys.rules import CHALLENGE_LIFETIME, MAX_PASSKEYS, RECENT
from trilha.access.sessions.passkeys.schema import (
    Assertion,
    Challenge,
    ChallengePurpose,
    ExportedPasskey,
    NewPasskey,
    Passkey,
)
from trilha.core.database import Tx

_COLUMNS = """id, user_id, name, credential_id, public_key, sign_count, may_sync, is_synced, transports,
              created_at, last_used_at"""


async def are_allowed(tx: Tx) -> bool:
    """Returns whether the company lets people use passkeys."""
    allowed: bool | None = await tx.value(
        "SELECT passkeys_allowed FROM tenant_settings WHERE tenant_id = :tenant"
    )
    return allowed is not False


async def list_of_user(tx: Tx, user_id: UUID) -> list[Passkey]:
    return await tx.list(
        Passkey,
        f"SELECT {_COLUMNS} FROM passkeys WHERE tenant_id = :tenant AND user_id = :user_id"  # noqa: S608
        " ORDER BY created_at, id",
        user_id=user_id,
    )


async def find(tx: Tx, user_id: UUID, passkey_id: UUID) -> Passkey | None:
    return await tx.find(
        Passkey,
        f"SELECT {_COLUMNS} FROM passkeys"  # noqa: S608
        " WHERE tenant_id = :tenant AND user_id = :user_id AND id = :id",
        user_id=user_id,
        id=passkey_id,
    )


async def find_by_credential(tx: Tx, credential_id: bytes) -> Passkey | None:
    return await tx.find(
        Passkey,
        f"SELECT {_COLUMNS} FROM passkeys"  # noqa: S608
        " WHERE tenant_id = :tenant AND credential_id = :credential_id",
        credential_id=credential_id,
    )


async def insert(tx: Tx, user_id: UUID, name: str, new: NewPasskey) -> UUID | None:
    """Returns None if somebody in the company has registered this passkey already."""
    id: UUID | None = await tx.value(
        """
        INSERT INTO passkeys (tenant_id, user_id, name, credential_id, public_key, sign_count, may_sync,
                              is_synced, transports, created_at)
        VALUES (:tenant, :user_id, :name, :credential_id, :public_key, :sign_count, :may_sync, :is_synced,
                :transports, :now)
        ON CONFLICT (tenant_id, credential_id) DO NOTHING
        RETURNING id
        """,
        user_id=user_id,
        name=name,
        credential_id=new.credential_id,
        public_key=new.public_key,
        sign_count=new.sign_count,
        may_sync=new.may_sync,
        is_synced=new.is_synced,
        transports=new.transports,
    )
    return id


async def has_room(tx: Tx, user_id: UUID) -> bool:
    """Returns whether the person may register another one. Locks the person's row, so that two registrations
    at once are counted one after the other.
    """
    await tx.execute(
        "SELECT FROM users WHERE tenant_id = :tenant AND id = :user_id FOR UPDATE", user_id=user_id
    )
    count: int = await tx.value(
        "SELECT count(*) FROM passkeys WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
    return count < MAX_PASSKEYS


async def note_use(tx: Tx, passkey_id: UUID, assertion: Assertion) -> bool:
    """Stores the counter. Returns False if another answer has raised it at the same moment."""
    return bool(
        await tx.execute(
            """
            UPDATE passkeys SET sign_count = :count, is_synced = :is_synced, last_used_at = :now
            WHERE tenant_id = :tenant AND id = :id AND (sign_count < :count OR sign_count = 0 AND :count = 0)
            """,
            id=passkey_id,
            count=assertion.sign_count,
            is_synced=assertion.is_synced,
        )
    )


async def rename(tx: Tx, user_id: UUID, passkey_id: UUID, name: str) -> None:
    await tx.execute(
        "UPDATE passkeys SET name = :name WHERE tenant_id = :tenant AND user_id = :user_id AND id = :id",
        user_id=user_id,
        id=passkey_id,
        name=name,
    )


async def delete(tx: Tx, user_id: UUID, passkey_id: UUID) -> None:
    await tx.execute(
        "DELETE FROM passkeys WHERE tenant_id = :tenant AND user_id = :user_id AND id = :id",
        user_id=user_id,
        id=passkey_id,
    )


async def delete_of_user(tx: Tx, user_id: UUID) -> int:
    """Deletes all of a person's passkeys and returns how many there were."""
    return await tx.execute(
        "DELETE FROM passkeys WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def put_challenge(
    tx: Tx,
    challenge: bytes,
    purpose: ChallengePurpose,
    binding: bytes,
    user_id: UUID | None = None,
    document: bytes | None = None,
) -> None:
    await tx.execute(
        """
        INSERT INTO passkey_challenges (tenant_id, digest, purpose, user_id, binding, document, expires_at)
        VALUES (:tenant, :digest, :purpose, :user_id, :binding, :document, :expires_at)
        """,
        digest=tx.keyring.fingerprint(challenge.hex()),
        purpose=purpose,
        user_id=user_id,
        binding=binding,
        document=document,
        expires_at=tx.now + CHALLENGE_LIFETIME,
    )


async def take_challenge(
    tx: Tx, challenge: bytes, purpose: ChallengePurpose, binding: bytes
) -> Challenge | None:
    """Uses a challenge up. Returns None if there is none for this purpose and session, or it has expired."""
    return await tx.find(
        Challenge,
        """
        DELETE FROM passkey_challenges
        WHERE tenant_id = :tenant AND digest = :digest AND purpose = :purpose AND binding = :binding
              AND expires_at > :now
        RETURNING user_id, document
        """,
        digest=tx.keyring.fingerprint(challenge.hex()),
        purpose=purpose,
        binding=binding,
    )


async def delete_expired_challenges(tx: Tx, limit: int) -> int:
    return await tx.execute(
        """
        DELETE FROM passkey_challenges WHERE tenant_id = :tenant AND digest IN (
            SELECT digest FROM passkey_challenges WHERE tenant_id = :tenant AND expires_at < :now
            LIMIT :limit)
        """,
        limit=limit,
    )


async def is_recent(tx: Tx, session_id: UUID) -> bool:
    """Returns whether the person has signed in, or typed their password, a short while ago."""
    recent: bool | None = await tx.value(
        """
        SELECT GREATEST(created_at, confirmed_at) > :since FROM sessions
        WHERE tenant_id = :tenant AND id = :session_id
        """,
        session_id=session_id,
        since=tx.now - RECENT,
    )
    return bool(recent)


async def confirm_session(tx: Tx, session_id: UUID) -> None:
    """Notes that the person has typed their password in this session."""
    await tx.execute(
        "UPDATE sessions SET confirmed_at = :now WHERE tenant_id = :tenant AND id = :session_id",
        session_id=session_id,
    )


async def list_exported(tx: Tx, user_id: UUID) -> list[ExportedPasskey]:
    return await tx.list(
        ExportedPasskey,
        """
        SELECT name, created_at, last_used_at FROM passkeys
        WHERE tenant_id = :tenant AND user_id = :user_id ORDER BY created_at, id
        """,
        user_id=user_id,
    )
