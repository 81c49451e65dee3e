"""SQL of the outbox."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, Search, Tx, structs_of
from trilha.core.jobs import LOOKS, each_tenant_once
from trilha.platform.mail.schema import ClaimedMessage, SendResult


class NewMessage(Struct, frozen=True):
    """A new message. `content` is sealed for this id."""

    id: UUID
    kind: str
    locale: str
    to_email: str
    subject: str
    content: bytes
    user_id: UUID | None


class DueTenant(Struct, frozen=True):
    tenant_id: UUID
    name: str
    colour: str | None


async def insert(tx: Tx, messages: Sequence[NewMessage]) -> None:
    """Inserts messages that are due now, with one statement."""
    await tx.execute(
        """
        INSERT INTO mail_messages (tenant_id, id, kind, locale, to_email, subject, content, next_attempt_at,
                                   user_id, request_id, traceparent, created_at, updated_at)
        SELECT :tenant, id, kind, locale, to_email, subject, content, :now, user_id, :request_id,
               :traceparent, :now, :now
        FROM unnest(:ids::uuid[], :kinds::text[], :locales::text[], :emails::text[], :subjects::text[],
                    :contents::bytea[], :users::uuid[])
             AS message (id, kind, locale, to_email, subject, content, user_id)
        RETURNING tenant_id
        """,
        ids=[each.id for each in messages],
        kinds=[each.kind for each in messages],
        locales=[each.locale for each in messages],
        emails=[each.to_email for each in messages],
        subjects=[each.subject for each in messages],
        contents=[each.content for each in messages],
        users=[each.user_id for each in messages],
    )


# For each tenant with pending messages, look only at the first in the index.
_WAITING = each_tenant_once("mail_messages", "status = 'PENDING'")
_DUE = """
    SELECT waiting.tenant_id, (SELECT t.name FROM tenants t WHERE t.id = waiting.tenant_id) AS name,
           (SELECT c.brand_colour FROM tenant_settings c WHERE c.tenant_id = waiting.tenant_id) AS colour
    FROM ({}) AS waiting
    WHERE (SELECT m.next_attempt_at FROM mail_messages m
           WHERE m.tenant_id = waiting.tenant_id AND m.status = 'PENDING'
           ORDER BY m.next_attempt_at LIMIT 1) <= :now
    LIMIT {}
"""
FIND_DUE = Search(_DUE.format(_WAITING.everywhere, LOOKS), _DUE.format(_WAITING.among, LOOKS))


async def find_due(database: Database, start: UUID) -> list[DueTenant]:
    """Returns tenants with due messages, beginning at `start` and wrapping around, in any order."""
    return structs_of(DueTenant, await database.search(FIND_DUE, start))


async def claim(tx: Tx, limit: int, lease: timedelta) -> list[ClaimedMessage]:
    """Claims the oldest due messages for the caller until the lease ends."""
    return await tx.list(
        ClaimedMessage,
        """
        WITH due AS (
            SELECT id FROM mail_messages
            WHERE tenant_id = :tenant AND status = 'PENDING' AND next_attempt_at <= :now
            ORDER BY next_attempt_at, id LIMIT :limit FOR UPDATE SKIP LOCKED)
        UPDATE mail_messages AS m SET attempts = attempts + 1, next_attempt_at = :until, updated_at = :now
        FROM due WHERE m.tenant_id = :tenant AND m.id = due.id
        RETURNING m.id, m.tenant_id, locale, to_email, subject, content, attempts, created_at, request_id,
                  traceparent, user_id
        """,
        limit=limit,
        until=tx.now + lease,
    )


async def record(
    tx: Tx, message: ClaimedMessage, result: SendResult, next_attempt_at: datetime | None
) -> bool:
    """Records how an attempt ended, and deletes the content of a finished message. Returns False if
    another attempt has begun.
    """
    recorded = await tx.execute(
        """
        UPDATE mail_messages
        SET status = :status, error = :error, reply = :reply, next_attempt_at = :next_attempt_at,
            sent_at = CASE WHEN :status = 'SENT' THEN CAST(:now AS timestamptz) END,
            content = CASE WHEN :status = 'PENDING' THEN content END, updated_at = :now
        WHERE tenant_id = :tenant AND id = :id AND status = 'PENDING' AND attempts = :attempts
        """,
        id=message.id,
        attempts=message.attempts,
        status="SENT" if result.error is None else "PENDING" if next_attempt_at else "FAILED",
        error=result.error,
        reply=result.reply,
        next_attempt_at=next_attempt_at,
    )
    return recorded > 0


async def drop(tx: Tx, message: ClaimedMessage) -> None:
    """Deletes a message that is no longer true, unless another attempt has begun."""
    await tx.execute(
        """
        DELETE FROM mail_messages
        WHERE tenant_id = :tenant AND id = :id AND status = 'PENDING' AND attempts = :attempts
        """,
        id=message.id,
        attempts=message.attempts,
    )


async def prune(tx: Tx, before: datetime, limit: int) -> int:
    """Deletes finished messages created before `before`."""
    return await tx.execute(
        """
        DELETE FROM mail_messages WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM mail_messages
            WHERE tenant_id = :tenant AND created_at < :before AND status <> 'PENDING'
            ORDER BY created_at LIMIT :limit)
        """,
        before=before,
        limit=limit,
    )
