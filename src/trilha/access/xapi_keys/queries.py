"""The SQL of keys. The look-up before a tenant is known is in `unscoped.py`."""

from uuid import UUID

from trilha.access.xapi_keys.schema import XapiKey
from trilha.core.database import Tx, columns_of

_COLUMNS = columns_of(XapiKey)


async def insert(tx: Tx, name: str, key: str, fingerprint: bytes, scopes: list[str]) -> XapiKey:
    inserted = await tx.find(
        XapiKey,
        f"""
        INSERT INTO xapi_keys (tenant_id, name, key, fingerprint, scopes, created_at, updated_at)
        VALUES (:tenant, :name, :key, :fingerprint, :scopes, :now, :now) RETURNING {_COLUMNS}
        """,  # noqa: S608
        name=name,
        key=key,
        fingerprint=fingerprint,
        scopes=scopes,
    )
    assert inserted is not None
    return inserted


async def list_all(tx: Tx) -> list[XapiKey]:
    return await tx.list(
        XapiKey,
        f"SELECT {_COLUMNS} FROM xapi_keys WHERE tenant_id = :tenant ORDER BY created_at, id",  # noqa: S608
    )


async def find(tx: Tx, key_id: UUID) -> XapiKey | None:
    return await tx.find(
        XapiKey,
        f"SELECT {_COLUMNS} FROM xapi_keys WHERE tenant_id = :tenant AND id = :key_id",  # noqa: S608
        key_id=key_id,
    )


async def revoke(tx: Tx, key_id: UUID) -> XapiKey | None:
    """Returns None if there is no such key, or if it was already revoked."""
    return await tx.find(
        XapiKey,
        f"""
        UPDATE xapi_keys SET revoked_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = :key_id AND revoked_at IS NULL RETURNING {_COLUMNS}
        """,  # noqa: S608
        key_id=key_id,
    )
