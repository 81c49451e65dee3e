"""The SQL that only SAML needs."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import convert, to_builtins

from trilha.access.sso.saml.certificates import OwnKey
from trilha.access.sso.saml.schema import NameId, SamlDetail
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.resealing.columns import SealedColumn

_KEY = "sso-saml"
SEALED_KEYS = SealedColumn(
    kind="private keys of SAML",
    table="sso_saml",
    column="private_key",
    keys={"connection_id": "uuid"},
    context=lambda row: (_KEY, row["connection_id"]),
)
_DETAIL = f"SELECT {columns_of(SamlDetail)} FROM sso_saml WHERE tenant_id = :tenant"  # noqa: S608


async def insert(tx: Tx, connection_id: UUID, values: Mapping[str, Any], own: OwnKey) -> None:
    values = {
        **values,
        "private_key": tx.keyring.seal(own.key, tx.tenant_id, _KEY, connection_id),
        "certificate": own.certificate,
    }
    await tx.execute(
        f"""
        INSERT INTO sso_saml (tenant_id, connection_id, {", ".join(values)})
        VALUES (:tenant, :connection_id, {", ".join(f":{name}" for name in values)})
        """,  # noqa: S608
        connection_id=connection_id,
        **values,
    )


async def update(tx: Tx, connection_id: UUID, values: Mapping[str, Any]) -> None:
    await tx.execute(
        f"""
        UPDATE sso_saml SET {", ".join(f"{name} = :{name}" for name in values)}
        WHERE tenant_id = :tenant AND connection_id = :connection_id
        """,  # noqa: S608
        connection_id=connection_id,
        **values,
    )


async def get(tx: Tx, connection_id: UUID, *, lock: bool = False) -> SamlDetail:
    """Raises NotFound."""
    sql = f"{_DETAIL} AND connection_id = :connection_id{' FOR UPDATE' if lock else ''}"
    found = await tx.find(SamlDetail, sql, connection_id=connection_id)
    if found is None:
        raise NotFound("connection_not_found")
    return found


async def get_own_key(tx: Tx, connection_id: UUID) -> OwnKey:
    """Returns our decrypted key. Raises NotFound."""
    rows = await tx.rows(
        """
        SELECT private_key, certificate FROM sso_saml
        WHERE tenant_id = :tenant AND connection_id = :connection_id
        """,
        connection_id=connection_id,
    )
    if not rows:
        raise NotFound("connection_not_found")
    key = tx.keyring.open(rows[0]["private_key"], tx.tenant_id, _KEY, connection_id)
    return OwnKey(key, rows[0]["certificate"])


async def list_due(tx: Tx, before: datetime, limit: int) -> list[SamlDetail]:
    """Claims connections that were not checked since `before`."""
    return await tx.list(
        SamlDetail,
        f"""
        UPDATE sso_saml s SET looked_at = :now
        WHERE s.tenant_id = :tenant AND s.connection_id IN (
            SELECT connection_id FROM sso_saml
            WHERE tenant_id = :tenant AND (looked_at IS NULL OR looked_at < :before)
            ORDER BY looked_at NULLS FIRST LIMIT :limit FOR UPDATE SKIP LOCKED)
        RETURNING {columns_of(SamlDetail)}
        """,  # noqa: S608
        before=before,
        limit=limit,
    )


async def accept_message_once(tx: Tx, connection_id: UUID, message_id: str, until: datetime) -> bool:
    """Stores a message id. Returns False if the message was accepted before."""
    return bool(
        await tx.execute(
            """
            INSERT INTO sso_replays (tenant_id, connection_id, digest, until)
            VALUES (:tenant, :connection_id, :digest, :until) ON CONFLICT DO NOTHING
            """,
            connection_id=connection_id,
            digest=hashlib.sha256(message_id.encode()).digest(),
            until=until,
        )
    )


async def note_name_id(tx: Tx, connection_id: UUID, subject: str, name_id: NameId) -> None:
    await tx.execute(
        """
        UPDATE sso_identities SET name_id = :name_id
        WHERE tenant_id = :tenant AND connection_id = :connection_id AND subject = :subject
              AND name_id IS DISTINCT FROM CAST(:name_id AS jsonb)
        """,
        connection_id=connection_id,
        subject=subject,
        name_id=to_builtins(name_id),
    )


async def find_session(tx: Tx, session_id: UUID) -> tuple[UUID, NameId, str | None] | None:
    """Returns the connection, name and session index with which a session began, or None."""
    rows = await tx.rows(
        """
        SELECT s.connection_id, s.session_index, i.name_id FROM sessions s
        JOIN sso_connections c ON c.tenant_id = s.tenant_id AND c.id = s.connection_id
             AND c.kind = 'SAML' AND c.enabled
        JOIN sso_identities i ON i.tenant_id = s.tenant_id AND i.connection_id = s.connection_id
             AND i.subject = s.subject
        WHERE s.tenant_id = :tenant AND s.id = :session_id AND i.name_id IS NOT NULL
        """,
        session_id=session_id,
    )
    if not rows:
        return None
    found = rows[0]
    return found["connection_id"], convert(found["name_id"], NameId), found["session_index"]


async def end_sessions(
    tx: Tx, connection_id: UUID, subject: str | None, indexes: Sequence[str]
) -> list[UUID]:
    """Ends the sessions of this subject (None: any) and of these session indexes (empty: any).

    Returns the users of the sessions. Tickets that were not redeemed yet become invalid.
    """
    where = """
        tenant_id = :tenant AND connection_id = :connection_id
        AND (CAST(:subject AS text) IS NULL OR subject = :subject)
        AND (CAST(:every AS boolean) OR session_index = ANY(:indexes))"""
    meant = {
        "connection_id": connection_id,
        "subject": subject,
        "every": not indexes and subject is not None,
        "indexes": list(indexes),
    }
    await tx.execute(f"DELETE FROM sso_tickets WHERE {where}", **meant)  # noqa: S608
    rows = await tx.rows(f"DELETE FROM sessions WHERE {where} RETURNING user_id", **meant)  # noqa: S608
    return list(dict.fromkeys(row["user_id"] for row in rows))


async def hold_ticket(tx: Tx, browser: bytes, until: datetime) -> None:
    """Holds the ticket of an unsolicited sign-in until the person confirms it."""
    await tx.execute(
        "UPDATE sso_tickets SET expires_at = :until WHERE tenant_id = :tenant AND browser = :browser",
        browser=browser,
        until=until,
    )


async def give_ticket(tx: Tx, connection_id: UUID, held_by: bytes, browser: bytes, until: datetime) -> bool:
    """Releases a held ticket to the browser in which the person confirmed. Returns False if none is
    waiting.
    """
    return bool(
        await tx.execute(
            """
            UPDATE sso_tickets SET browser = :browser, expires_at = :until
            WHERE tenant_id = :tenant AND connection_id = :connection_id AND browser = :held_by
                  AND used_at IS NULL AND expires_at > :now
            """,
            connection_id=connection_id,
            held_by=held_by,
            browser=browser,
            until=until,
        )
    )
