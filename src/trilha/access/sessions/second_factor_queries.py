"""The SQL of the second factor: authenticators and recovery codes."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from trilha.access.sessions.schema import Authenticator
from trilha.core.database import Tx


async def put_authenticator(tx: Tx, user_id: UUID, secret: bytes) -> bool:
    """Stores an unconfirmed authenticator. Returns False if there is a confirmed one."""
    return bool(
        await tx.execute(
            """
            INSERT INTO authenticators AS a (tenant_id, user_id, secret, created_at)
            VALUES (:tenant, :user_id, :secret, :now)
            ON CONFLICT (tenant_id, user_id) DO UPDATE SET secret = :secret, created_at = :now
            WHERE a.confirmed_at IS NULL
            """,
            user_id=user_id,
            secret=secret,
        )
    )


async def find_authenticator(tx: Tx, user_id: UUID) -> Authenticator | None:
    """Returns the authenticator, locked until the transaction ends, so that a code is used only once."""
    return await tx.find(
        Authenticator,
        """
        SELECT secret, created_at, confirmed_at, last_step, failed_at, locked_until FROM authenticators
        WHERE tenant_id = :tenant AND user_id = :user_id FOR UPDATE
        """,
        user_id=user_id,
    )


async def read_authenticator(tx: Tx, user_id: UUID) -> Authenticator | None:
    return await tx.find(
        Authenticator,
        """
        SELECT secret, created_at, confirmed_at, last_step, failed_at, locked_until FROM authenticators
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
    )


async def count_recovery_codes(tx: Tx, user_id: UUID) -> int:
    """Returns the number of unused codes."""
    sql = "SELECT count(*) FROM recovery_codes WHERE tenant_id = :tenant AND user_id = :user_id"
    return int(await tx.value(sql, user_id=user_id))


async def note_step(tx: Tx, user_id: UUID, step: int) -> None:
    """Stores the step of an accepted code, and confirms the authenticator."""
    await tx.execute(
        """
        UPDATE authenticators SET last_step = :step, confirmed_at = COALESCE(confirmed_at, :now)
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
        step=step,
    )


async def note_failures(
    tx: Tx, user_id: UUID, failed_at: Sequence[datetime], locked_until: datetime | None
) -> None:
    """Stores the times of wrong codes. The authenticator must be locked by this transaction."""
    await tx.execute(
        """
        UPDATE authenticators SET failed_at = CAST(:failed_at AS timestamptz[]), locked_until = :locked_until
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
        failed_at=list(failed_at),
        locked_until=locked_until,
    )


async def unlock(tx: Tx, user_id: UUID) -> bool:
    """Returns False if it is not locked."""
    return bool(
        await tx.execute(
            """
            UPDATE authenticators SET failed_at = '{}', locked_until = NULL
            WHERE tenant_id = :tenant AND user_id = :user_id AND locked_until > :now
            """,
            user_id=user_id,
        )
    )


async def delete(tx: Tx, user_id: UUID) -> bool:
    """Deletes the authenticator and the recovery codes. Returns False if there was none.

    Sessions that passed it, or wait for its code, become sessions with a password alone.
    """
    await tx.execute(
        """
        UPDATE sessions SET second_factor = 'none'
        WHERE tenant_id = :tenant AND user_id = :user_id AND second_factor <> 'none'
        """,
        user_id=user_id,
    )
    await tx.execute(
        "DELETE FROM recovery_codes WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
    return bool(
        await tx.execute(
            "DELETE FROM authenticators WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
        )
    )


async def put_recovery_codes(tx: Tx, user_id: UUID, fingerprints: Sequence[bytes]) -> None:
    """Replaces all recovery codes."""
    await tx.execute(
        "DELETE FROM recovery_codes WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
    await tx.execute(
        """
        INSERT INTO recovery_codes (tenant_id, user_id, fingerprint)
        SELECT :tenant, :user_id, unnest(:fingerprints::bytea[]) RETURNING tenant_id
        """,
        user_id=user_id,
        fingerprints=fingerprints,
    )


async def take_recovery_code(tx: Tx, user_id: UUID, fingerprint: bytes) -> bool:
    return bool(
        await tx.execute(
            """
            DELETE FROM recovery_codes
            WHERE tenant_id = :tenant AND user_id = :user_id AND fingerprint = :fingerprint
            """,
            user_id=user_id,
            fingerprint=fingerprint,
        )
    )
