"""The SQL of API keys. The lookup before a tenant is known is in `unscoped.py`."""

from datetime import datetime
from uuid import UUID

from trilha.access.api_keys.schema import ApiKey
from trilha.core.database import Tx
from trilha.core.rotating_secrets import RotatingSecrets

_COLUMNS = ", ".join(ApiKey.__struct_fields__)
SECRETS = RotatingSecrets("api_key_secrets", owner="api_key_id", content="fingerprint")


async def insert(
    tx: Tx, name: str, hint: str, scopes: list[str], networks: str, expires_at: datetime | None
) -> ApiKey:
    key = await tx.find(
        ApiKey,
        f"""
        INSERT INTO api_keys (tenant_id, name, hint, scopes, networks, expires_at, created_at, updated_at)
        VALUES (:tenant, :name, :hint, :scopes, :networks, :expires_at, :now, :now)
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        name=name,
        hint=hint,
        scopes=scopes,
        networks=networks,
        expires_at=expires_at,
    )
    assert key is not None
    return key


async def list_all(tx: Tx) -> list[ApiKey]:
    return await tx.list(
        ApiKey,
        f"SELECT {_COLUMNS} FROM api_keys WHERE tenant_id = :tenant ORDER BY created_at, id",  # noqa: S608
    )


async def find(tx: Tx, key_id: UUID) -> ApiKey | None:
    return await tx.find(
        ApiKey,
        f"SELECT {_COLUMNS} FROM api_keys WHERE tenant_id = :tenant AND id = :key_id",  # noqa: S608
        key_id=key_id,
    )


async def change_hint(tx: Tx, key_id: UUID, hint: str) -> ApiKey | None:
    """Returns None if there is no such key, or if it was revoked."""
    return await tx.find(
        ApiKey,
        f"""
        UPDATE api_keys SET hint = :hint, updated_at = :now
        WHERE tenant_id = :tenant AND id = :key_id AND revoked_at IS NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        key_id=key_id,
        hint=hint,
    )


async def revoke(tx: Tx, key_id: UUID) -> ApiKey | None:
    """Returns None if there is no such key, or if it was already revoked."""
    return await tx.find(
        ApiKey,
        f"""
        UPDATE api_keys SET revoked_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = :key_id AND revoked_at IS NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        key_id=key_id,
    )


async def is_live(tx: Tx, fingerprint: bytes) -> bool:
    """Returns whether this secret is valid now."""
    live: bool = await tx.value(
        """
        SELECT EXISTS (
            SELECT FROM api_key_secrets s JOIN api_keys k ON k.tenant_id = s.tenant_id AND k.id = s.api_key_id
            WHERE s.tenant_id = :tenant AND s.fingerprint = :fingerprint AND k.revoked_at IS NULL
              AND (s.expires_at IS NULL OR s.expires_at > :now)
              AND (k.expires_at IS NULL OR k.expires_at > :now))
        """,
        fingerprint=fingerprint,
    )
    return live
