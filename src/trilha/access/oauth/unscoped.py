"""Lookups before a tenant is known, and the signing keys, which all tenants share."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from trilha.access.oauth.schema import SigningClient, StoredSigningKey
from trilha.core.credentials import Actor, CredentialKind, CredentialLookup, PresentedCredential
from trilha.core.database import Unscoped
from trilha.platform.audit.unscoped import record_for_all

_NOTE_USE = "UPDATE oauth_clients SET last_used_at = :now WHERE id = ANY(:ids) AND tenant_id = ANY(:tenants)"


def _secrets(presented: Sequence[PresentedCredential]) -> dict[str, Any]:
    return {"client_secrets": [credential.key for credential in presented]}


def _tokens(presented: Sequence[PresentedCredential]) -> dict[str, Any]:
    return {
        "token_tenants": [credential.tenant_id for credential in presented],
        "jtis": [UUID(bytes=credential.key) for credential in presented],
    }


CLIENT_SECRET = CredentialLookup(
    kind=CredentialKind.CLIENT_SECRET,
    statement="""
        SELECT 'client_secret' AS kind, s.fingerprint AS key, c.id, c.tenant_id,
               t.status = 'ACTIVE' AS tenant_active, c.scopes, c.networks, NULL::timestamptz AS expires_at,
               s.expires_at AS secret_expires_at, c.disabled_at AS revoked_at,
               COALESCE(c.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true) AS use_is_due,
               NULL::jsonb AS detail
        FROM oauth_client_secrets s
        JOIN oauth_clients c ON c.tenant_id = s.tenant_id AND c.id = s.client_id
        JOIN tenants t ON t.id = s.tenant_id
        WHERE s.fingerprint = ANY(:client_secrets::bytea[])
        """,
    parameters=_secrets,
    note_use=_NOTE_USE,
    reads_workers=False,
)
ACCESS_TOKEN = CredentialLookup(
    kind=CredentialKind.ACCESS_TOKEN,
    statement="""
        SELECT 'access_token' AS kind, uuid_send(a.jti) AS key, c.id, c.tenant_id,
               t.status = 'ACTIVE' AS tenant_active,
               ARRAY(SELECT scope FROM unnest(a.scopes) AS scope WHERE scope = ANY(c.scopes)) AS scopes,
               c.networks, a.expires_at, NULL::timestamptz AS secret_expires_at,
               LEAST(a.revoked_at, c.disabled_at) AS revoked_at,
               COALESCE(c.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true) AS use_is_due,
               NULL::jsonb AS detail
        FROM unnest(:token_tenants::uuid[], :jtis::uuid[]) AS presented (tenant_id, jti)
        JOIN oauth_tokens a USING (tenant_id, jti)
        JOIN oauth_clients c
            ON c.tenant_id = a.tenant_id AND c.id = a.client_id AND a.created_at >= c.tokens_from
        JOIN tenants t ON t.id = a.tenant_id
        """,
    parameters=_tokens,
    note_use=_NOTE_USE,
)


async def find_signing_client(unscoped: Unscoped, client_id: UUID) -> SigningClient | None:
    """Returns a client that authenticates with assertions, or None."""
    return await unscoped.find(
        SigningClient,
        """
        SELECT c.id, c.tenant_id, t.status = 'ACTIVE' AS tenant_active, c.scopes, c.networks,
               c.public_keys, c.disabled_at
        FROM oauth_clients c JOIN tenants t ON t.id = c.tenant_id
        WHERE c.id = :client_id AND c.public_keys IS NOT NULL
        """,
        client_id=client_id,
    )


async def list_signing_keys(unscoped: Unscoped) -> list[StoredSigningKey]:
    return await unscoped.list(StoredSigningKey, "SELECT * FROM signing_keys ORDER BY number")


async def insert_signing_key(unscoped: Unscoped, key: StoredSigningKey, actor: Actor) -> None:
    """Does nothing if the number is taken."""
    async with unscoped.durable():
        inserted = await unscoped.execute(
            """
            INSERT INTO signing_keys (number, kid, private, public, signs_from, created_at)
            VALUES (:number, :kid, :private, :public, :signs_from, :created_at)
            ON CONFLICT (number) DO NOTHING
            """,
            **msgspec.structs.asdict(key),
        )
        if inserted:
            await record_for_all(unscoped, actor, "signing_key.created", key.kid)


async def delete_signing_key(unscoped: Unscoped, kid: str, actor: Actor) -> None:
    """Deletes a key and ends every token that it signed."""
    async with unscoped.durable():
        await unscoped.execute(
            """
            WITH deleted AS (DELETE FROM signing_keys WHERE kid = :kid)
            UPDATE oauth_tokens SET revoked_at = :now
            WHERE kid = :kid AND expires_at > :now AND revoked_at IS NULL
            """,
            kid=kid,
        )
        await record_for_all(unscoped, actor, "signing_key.deleted", kid)
