"""The SQL of SCIM tokens. The lookup before a tenant is known is in `unscoped.py`."""

from datetime import datetime
from uuid import UUID

from trilha.access.scim.tokens.schema import ScimToken
from trilha.core.database import Tx, columns_of
from trilha.core.rotating_secrets import RotatingSecrets

_COLUMNS = columns_of(ScimToken)
SECRETS = RotatingSecrets("scim_token_secrets", owner="token_id", content="fingerprint", sealed="sealed")


async def insert(tx: Tx, name: str, hint: str, networks: str, expires_at: datetime | None) -> ScimToken:
    token = await tx.find(
        ScimToken,
        f"""
        INSERT INTO scim_tokens (tenant_id, name, hint, networks, expires_at, created_at, updated_at)
        VALUES (:tenant, :name, :hint, :networks, :expires_at, :now, :now) RETURNING {_COLUMNS}
        """,  # noqa: S608
        name=name,
        hint=hint,
        networks=networks,
        expires_at=expires_at,
    )
    assert token is not None
    return token


async def list_all(tx: Tx) -> list[ScimToken]:
    return await tx.list(
        ScimToken,
        f"SELECT {_COLUMNS} FROM scim_tokens WHERE tenant_id = :tenant ORDER BY created_at, id",  # noqa: S608
    )


async def find(tx: Tx, token_id: UUID) -> ScimToken | None:
    return await tx.find(
        ScimToken,
        f"SELECT {_COLUMNS} FROM scim_tokens WHERE tenant_id = :tenant AND id = :token_id",  # noqa: S608
        token_id=token_id,
    )


async def change_hint(tx: Tx, token_id: UUID, hint: str) -> ScimToken | None:
    """Returns None if there is no such token, or if it was revoked."""
    return await tx.find(
        ScimToken,
        f"""
        UPDATE scim_tokens SET hint = :hint, updated_at = :now
        WHERE tenant_id = :tenant AND id = :token_id AND revoked_at IS NULL RETURNING {_COLUMNS}
        """,  # noqa: S608
        token_id=token_id,
        hint=hint,
    )


async def revoke(tx: Tx, token_id: UUID) -> ScimToken | None:
    """Returns None if there is no such token, or if it was already revoked."""
    return await tx.find(
        ScimToken,
        f"""
        UPDATE scim_tokens SET revoked_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = :token_id AND revoked_at IS NULL RETURNING {_COLUMNS}
        """,  # noqa: S608
        token_id=token_id,
    )


async def find_limit(tx: Tx) -> int | None:
    """Returns the tenant's own limit per window, or None for the server's."""
    limit: int | None = await tx.value("SELECT scim_limit FROM tenant_settings WHERE tenant_id = :tenant")
    return limit


async def set_limit(tx: Tx, requests: int | None) -> None:
    await tx.execute(
        """
        INSERT INTO tenant_settings (tenant_id, scim_limit, updated_at) VALUES (:tenant, :requests, :now)
        ON CONFLICT (tenant_id) DO UPDATE SET scim_limit = :requests, updated_at = :now
        """,
        requests=requests,
    )
