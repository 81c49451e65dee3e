"""Changes to clients, and the life of their access tokens."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from trilha.access.oauth import queries
from trilha.access.oauth.assertions import MAX_KEYS, read_key_set
from trilha.access.oauth.errors import OAuthError
from trilha.access.oauth.rules import client_name, generate_secret
from trilha.access.oauth.schema import Introspection, IssuedSecret, NewToken, OAuthClient, TokenAnswer
from trilha.access.oauth.signing_keys import TOKEN_LIFETIME
from trilha.access.oauth.tokens import AccessTokens, Claims
from trilha.core.credentials import (
    DEFAULT_GRACE,
    Credential,
    CredentialRefused,
    check_grace,
    check_networks,
    check_scopes,
)
from trilha.core.database import Database, Tx
from trilha.core.database.batcher import Batcher
from trilha.core.errors import Unauthenticated
from trilha.core.types import Timestamp
from trilha.platform.audit import queries as audit


async def create(
    tx: Tx, name: str, scopes: list[str], *, networks: str = "", public_keys: dict[str, Any] | None = None
) -> IssuedSecret:
    """Creates a client with a secret, or with the public keys of this JWK set. Raises CredentialRefused."""
    check_scopes(scopes)
    if public_keys is not None:
        _check_public(public_keys)
    client = await queries.insert_client(tx, name, scopes, check_networks(networks), public_keys)
    secret = None if public_keys else generate_secret()
    if secret:
        await queries.SECRETS.insert(tx, client.id, tx.keyring.fingerprint(secret))
    await audit.record(tx, "oauth_client.created", client.id, client.name, scopes=client.scopes)
    return IssuedSecret(client, secret)


async def rotate(tx: Tx, client_id: UUID, grace: timedelta = DEFAULT_GRACE) -> IssuedSecret:
    """Replaces the secret; the old one works for `grace`, 0 to 7 days. Raises CredentialRefused."""
    check_grace(grace)
    client = _require(
        await queries.touch_client(tx, client_id), "There is no active client with a secret and this ID."
    )
    until = Timestamp.of(tx.now + grace)
    await queries.SECRETS.end(tx, client_id, until)
    secret = generate_secret()
    await queries.SECRETS.insert(tx, client_id, tx.keyring.fingerprint(secret))
    await audit.record(tx, "oauth_client.rotated", client.id, client.name, previous_expires_at=until)
    return IssuedSecret(client, secret, until)


async def disable(tx: Tx, client_id: UUID) -> OAuthClient:
    """Disables a client and ends its tokens. Raises CredentialRefused."""
    client = _require(await queries.disable_client(tx, client_id), "There is no active client with this ID.")
    await audit.record(tx, "oauth_client.disabled", client.id, client.name)
    return client


async def enable(tx: Tx, client_id: UUID) -> OAuthClient:
    """Lets a client get tokens again. Raises CredentialRefused."""
    client = _require(await queries.enable_client(tx, client_id), "There is no disabled client with this ID.")
    await audit.record(tx, "oauth_client.enabled", client.id, client.name)
    return client


async def delete(tx: Tx, client_id: UUID) -> OAuthClient:
    """Deletes a client with its secrets, and ends its tokens. Raises CredentialRefused."""
    client = _require(await queries.delete_client(tx, client_id), "There is no client with this ID.")
    await audit.record(tx, "oauth_client.deleted", client.id, client.name)
    return client


class Issuer:
    """Issues tokens, storing those of one tenant together, so that they share one commit."""

    def __init__(self, database: Database, tokens: AccessTokens) -> None:
        self._database = database
        self._tokens = tokens
        self._batcher = Batcher(self._store)

    async def issue(self, client: Credential, scopes: list[str]) -> TokenAnswer:
        while True:
            unsigned = await self._tokens.make(client.tenant_id, client.id, scopes)
            storing = await self._batcher.begin(unsigned.row)
            token = unsigned.sign()  # Sign while the row is being stored.
            if await storing:
                return TokenAnswer(token, "Bearer", int(TOKEN_LIFETIME.total_seconds()), unsigned.row.scope)
            # Another process has just revoked the signing key, so we try with another.
            await self._tokens.keys.reload()

    async def _store(self, batch: list[NewToken]) -> list[bool]:
        stored: set[UUID] = set()
        by_tenant: dict[UUID, list[NewToken]] = {}
        for token in batch:
            by_tenant.setdefault(token.tenant_id, []).append(token)
        for tenant_id, tenant_tokens in by_tenant.items():
            async with self._database.transaction(tenant_id) as tx:
                stored |= await queries.insert_tokens(tx, tenant_tokens, tx.now + TOKEN_LIFETIME)
        return [token.jti in stored for token in batch]


async def revoke(tx: Tx, tokens: AccessTokens, client_id: UUID, token: str) -> None:
    """Revokes an access token. Tokens that are invalid, or another tenant's, are ignored. Raises
    OAuthError.
    """
    try:
        claims = await tokens.read(token)
    except Unauthenticated:
        return
    if claims.tenant_id != tx.tenant_id:
        return
    if claims.client_id != client_id:
        raise OAuthError("unauthorized_client", "The token was issued to another client.")
    if await queries.revoke_token(tx, claims.jti):
        await audit.record(tx, "access_token.revoked", claims.client_id, jti=claims.jti)


def describe(
    credential: Credential, claims: Claims, client: Credential, issuer: str, now: datetime
) -> Introspection:
    """Describes a token to a client. Returns only `active: false` unless the token is live and of the
    client's tenant.
    """
    if credential.tenant_id != client.tenant_id or credential.rejection_reason(now):
        return Introspection(active=False)
    name = client_name(credential.id)
    return Introspection(
        active=True,
        scope=" ".join(credential.scopes),
        client_id=name,
        token_type="Bearer",  # noqa: S106
        exp=claims.expires_at,
        iat=claims.issued_at,
        sub=name,
        aud=issuer,
        iss=issuer,
        jti=str(claims.jti),
    )


def _require(client: OAuthClient | None, message: str) -> OAuthClient:
    if client is None:
        raise CredentialRefused(message)
    return client


def _check_public(public_keys: dict[str, Any]) -> None:
    try:
        read_key_set(public_keys)
    except ValueError:
        raise CredentialRefused(
            f'Not a JWK set of 1 to {MAX_KEYS} public keys. Expected: {{"keys": [...]}}.'
        ) from None
