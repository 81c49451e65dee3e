"""The SQL of OAuth clients and of their tokens."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.secret_tables import SecretTable
from trilha.oauth.schema import KnownClient, NewToken, OAuthClient

_COLUMNS = ", ".join(OAuthClient.__struct_fields__)
_KNOWN = f"SELECT {_COLUMNS}, public_keys FROM oauth_clients WHERE tenant_id = :tenant"  # noqa: S608
SECRETS = SecretTable("oauth_client_secrets", owner="client_id", content="fingerprint")


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
    return await tx.find(KnownClient, f"{_KNOWN} AND id = :client_id", client_id=client_id)


async def touch_client(tx: Tx, client_id: UUID) -> OAuthClient | None:
    """None where there is none, or it signs instead of having secrets, or it is disabled."""
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
    """None where there is none, or it was disabled before."""
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
    """The tokens from before stay dead. None where there is none, or it was not disabled."""
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
    """Returns those that are stored, by jti: all but what a key signed that was revoked meanwhile."""
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
    """False where it was revoked before."""
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
    """False where it was used before."""
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


async def prune_tokens(tx: Tx, most: int = 5_000) -> int:
    """Drops tokens and used assertions that are over."""
    tokens = await tx.execute(
        """
        DELETE FROM oauth_tokens WHERE tenant_id = :tenant AND jti IN (
            SELECT jti FROM oauth_tokens WHERE tenant_id = :tenant AND expires_at < :now LIMIT :most)
        """,
        most=most,
    )
    return tokens + await tx.execute(
        # A clock that is ahead must not make room for one that was used. So they end a day before the newest
        # that was used as well: its client's clock said that it is so late.
        """
        DELETE FROM oauth_assertions
        WHERE tenant_id = :tenant AND expires_at < LEAST(
            CAST(:now AS timestamptz),
            (SELECT max(expires_at) FROM oauth_assertions WHERE tenant_id = :tenant)) - interval '1 day'
        """
    )
