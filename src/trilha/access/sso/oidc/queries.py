"""The SQL that only OpenID Connect needs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import convert

from trilha.access.sso.oidc.schema import Client, Document, OidcDetail, StoredKeys
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.resealing.columns import SealedColumn

_SECRET = "sso-oidc"  # noqa: S105 - what it is sealed for
SEALED_SECRETS = SealedColumn(
    kind="client secrets of OpenID Connect",
    table="sso_oidc",
    column="secret",
    keys={"connection_id": "uuid"},
    context=lambda row: (_SECRET, row["connection_id"]),
)
_DETAIL = f"SELECT {columns_of(OidcDetail)} FROM sso_oidc WHERE tenant_id = :tenant"  # noqa: S608


def seal(tx: Tx, connection_id: UUID, secret: str) -> bytes:
    return tx.keyring.seal(secret, tx.tenant_id, _SECRET, connection_id)


async def insert(tx: Tx, connection_id: UUID, values: Mapping[str, Any]) -> None:
    names = ["connection_id", *values]
    await tx.execute(
        f"""
        INSERT INTO sso_oidc (tenant_id, {", ".join(names)})
        VALUES (:tenant, {", ".join(f":{name}" for name in names)})
        """,  # noqa: S608
        connection_id=connection_id,
        **values,
    )


async def update(tx: Tx, connection_id: UUID, values: Mapping[str, Any]) -> None:
    await tx.execute(
        f"""
        UPDATE sso_oidc SET {", ".join(f"{name} = :{name}" for name in values)}
        WHERE tenant_id = :tenant AND connection_id = :connection_id
        """,  # noqa: S608
        connection_id=connection_id,
        **values,
    )


async def get(tx: Tx, connection_id: UUID) -> OidcDetail:
    """Raises NotFound."""
    sql = f"{_DETAIL} AND connection_id = :connection_id"
    found = await tx.find(OidcDetail, sql, connection_id=connection_id)
    if found is None:
        raise NotFound("connection_not_found")
    return found


async def get_client(tx: Tx, connection_id: UUID) -> Client:
    """Returns the client with its decrypted secret. Raises NotFound."""
    found = await find_client(tx, connection_id)
    if found is None:
        raise NotFound("connection_not_found")
    return found


async def find_client(tx: Tx, connection_id: UUID) -> Client | None:
    """Returns the client with its decrypted secret, or None if the connection is of another kind."""
    rows = await tx.rows(
        """
        SELECT issuer, client_id, auth_method, secret, public_key, scopes, algorithms, document FROM sso_oidc
        WHERE tenant_id = :tenant AND connection_id = :connection_id
        """,
        connection_id=connection_id,
    )
    if not rows:
        return None
    found = dict(rows[0])
    found["secret"] = tx.keyring.open(found["secret"], tx.tenant_id, _SECRET, connection_id)
    found["document"] = convert(found["document"], Document)
    return Client(connection_id=connection_id, **found)


async def claim_document(tx: Tx, connection_id: UUID, before: datetime) -> bool:
    """Whether the caller should read the discovery document, because nobody has since `before`."""
    return bool(
        await tx.execute(
            """
            UPDATE sso_oidc SET document_read_at = :now
            WHERE tenant_id = :tenant AND connection_id = :connection_id AND document_read_at <= :before
            """,
            connection_id=connection_id,
            before=before,
        )
    )


async def find_keys(tx: Tx, connection_id: UUID, usable_since: datetime, asked_since: datetime) -> StoredKeys:
    """Returns the stored keys. Those that were stale by `usable_since` are not used any more. `is_asked`:
    another process has been fetching them since `asked_since`.
    """
    found = await tx.find(
        StoredKeys,
        """
        SELECT keys, COALESCE(keys_fresh_until > :now, false) AS is_fresh,
               COALESCE(keys_fresh_until > :usable_since, false) AS is_usable,
               COALESCE(keys_asked_at > :asked_since AND keys_answered_at IS NULL, false) AS is_asked
        FROM sso_oidc WHERE tenant_id = :tenant AND connection_id = :connection_id
        """,
        connection_id=connection_id,
        usable_since=usable_since,
        asked_since=asked_since,
    )
    if found is None:
        raise NotFound("connection_not_found")
    return found


async def claim_keys(tx: Tx, connection_id: UUID, before: datetime) -> bool:
    """Whether the caller should fetch the keys, because nobody has since `before`."""
    return bool(
        await tx.execute(
            """
            UPDATE sso_oidc SET keys_asked_at = :now, keys_answered_at = NULL
            WHERE tenant_id = :tenant AND connection_id = :connection_id
                  AND (keys_asked_at IS NULL OR keys_asked_at <= :before)
            """,
            connection_id=connection_id,
            before=before,
        )
    )


async def put_keys(tx: Tx, connection_id: UUID, keys: list[dict[str, Any]], fresh_until: datetime) -> None:
    await tx.execute(
        """
        UPDATE sso_oidc SET keys = :keys, keys_read_at = :now, keys_fresh_until = :fresh_until,
                            keys_answered_at = :now
        WHERE tenant_id = :tenant AND connection_id = :connection_id
        """,
        connection_id=connection_id,
        keys=keys,
        fresh_until=fresh_until,
    )


async def note_no_keys(tx: Tx, connection_id: UUID) -> None:
    """Notes a failed fetch. The stored keys remain."""
    await tx.execute(
        """
        UPDATE sso_oidc SET keys_answered_at = :now
        WHERE tenant_id = :tenant AND connection_id = :connection_id
        """,
        connection_id=connection_id,
    )
