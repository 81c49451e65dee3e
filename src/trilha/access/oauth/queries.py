"""The SQL of OAuth clients and their tokens."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.access.oauth.schema import KnownClient, NewToken, OAuthClient
from trilha.core.database import Tx
from trilha.core.rotating_secrets import RotatingSecrets

_COLUMNS = ", ".join(OAuthClient.__struct_fields__)
_SELECT_WITH_KEYS = f"SELECT {_COLUMNS}, public_keys FROM oauth_clients WHERE tenant_id = :tenant"  # noqa: S608
SECRETS = RotatingSecrets("oauth_client_secrets", owner="client_id", content="fingerprint")


async def insert_client(
    tx: Tx, name: str, scopes: list[str], networks: str, public_keys: dict[str, Any] | None
) -> OAuthClient:
    client = await tx.find(
        OAuthClient,
        f"""
        INSERT INTO oauth_clients (tenant_id, name, scopes, networks, public_keys, tokens_from, created_at,
                                   updated_at)
        VALUES (:tenant, :name, :scopes, :networks, :public_keys, :now, :now, :now)
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        name=name,
        scopes=scopes,
        networks=networks,
        public_keys=public_keys,
    )
    assert client is not None
    return client


async def list_clients(tx: Tx) -> list[OAuthClient]:
    return await tx.list(
        OAuthClient,
        f"SELECT {_COLUMNS} FROM oauth_clients WHERE tenant_id = :tenant ORDER BY created_at, id",  # noqa: S608
    )


async def find_client(tx: Tx, client_id: UUID) -> KnownClient | None:
    return await tx.find(KnownClient, f"{_SELECT_WITH_KEYS} AND id = :client_id", client_id=client_id)


async def touch_client(tx: Tx, client_id: UUID) -> OAuthClient | None:
    """Returns None if the client does not exist, is disabled, or authenticates with keys."""
    return await tx.find(
        OAuthClient,
        f"""
        UPDATE oauth_clients SET updated_at = :now
        WHERE tenant_id = :tenant AND id = :client_id AND public_keys IS NULL AND disabled_at IS NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        client_id=client_id,
    )


async def disable_client(tx: Tx, client_id: UUID) -> OAuthClient | None:
    """Returns None if the client does not exist, or is already disabled."""
    return await tx.find(
        OAuthClient,
        f"""
        UPDATE oauth_clients SET disabled_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = :client_id AND disabled_at IS NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        client_id=client_id,
    )


async def enable_client(tx: Tx, client_id: UUID) -> OAuthClient | None:
    """Enables a client; earlier tokens stay invalid. Returns None if it does not exist or is not disabled."""
    return await tx.find(
        OAuthClient,
        f"""
        UPDATE oauth_clients SET disabled_at = NULL, tokens_from = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = :client_id AND disabled_at IS NOT NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        client_id=client_id,
    )


async def delete_client(tx: Tx, client_id: UUID) -> OAuthClient | None:
    return await tx.find(
        OAuthClient,
        f"""
        DELETE FROM oauth_clients WHERE tenant_id = :tenant AND id = :client_id RETURNING {_COLUMNS}
        """,  # noqa: S608
        client_id=client_id,
    )


async def insert_tokens(tx: Tx, tokens: Sequence[NewToken], expires_at: datetime) -> set[UUID]:
    """Returns the ids (jti) of the stored tokens, without those whose signing key was revoked meanwhile."""
    names = ("jti", "client_id", "kid", "scope")
    rows = await tx.rows(
        """
        INSERT INTO oauth_tokens (tenant_id, jti, client_id, kid, scopes, expires_at, created_at)
        SELECT :tenant, jti, client_id, kid, string_to_array(scope, ' '), :expires_at, :now
        FROM unnest(:jti::uuid[], :client_id::uuid[], :kid::text[], :scope::text[])
             AS token (jti, client_id, kid, scope)
        WHERE EXISTS (SELECT FROM signing_keys AS key WHERE key.kid = token.kid)
        RETURNING jti
        """,
        expires_at=expires_at,
        **{name: [getattr(token, name) for token in tokens] for name in names},
    )
    return {row["jti"] for row in rows}


async def revoke_token(tx: Tx, jti: UUID) -> bool:
    """Returns False if the token was already revoked."""
    return bool(
        await tx.execute(
            """
            UPDATE oauth_tokens SET revoked_at = :now
            WHERE tenant_id = :tenant AND jti = :jti AND revoked_at IS NULL
            """,
            jti=jti,
        )
    )


async def use_assertion(tx: Tx, client_id: UUID, digest: bytes, expires_at: datetime) -> bool:
    """Returns False if the assertion was used before."""
    used = await tx.execute(
        """
        INSERT INTO oauth_assertions (tenant_id, client_id, digest, expires_at)
        SELECT :tenant, :client_id, :digest, :expires_at
        ON CONFLICT (tenant_id, client_id, digest) DO NOTHING
        """,
        client_id=client_id,
        digest=digest,
        expires_at=expires_at,
    )
    return used == 1


async def prune_tokens(tx: Tx, limit: int = 5_000) -> int:
    """Deletes expired tokens and expired used assertions."""
    tokens = await tx.execute(
        """
        DELETE FROM oauth_tokens WHERE tenant_id = :tenant AND jti IN (
            SELECT jti FROM oauth_tokens WHERE tenant_id = :tenant AND expires_at < :now LIMIT :limit)
        """,
        limit=limit,
    )
    return tokens + await tx.execute(
        # If this clock is ahead, a used assertion must not become usable again. So we also keep those that
        # expired within a day before the newest one, whose time comes from its client's clock.
        """
        DELETE FROM oauth_assertions
        WHERE tenant_id = :tenant AND expires_at < LEAST(
            CAST(:now AS timestamptz),
            (SELECT max(expires_at) FROM oauth_assertions WHERE tenant_id = :tenant)) - interval '1 day'
        """
    )
