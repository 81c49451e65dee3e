"""What can be done to a client, and with the tokens it gets."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from trilha.audit import queries as audit
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
from trilha.oauth import queries
from trilha.oauth.assertions import MAX_KEYS, read_key_set
from trilha.oauth.errors import OAuthError
from trilha.oauth.rules import client_name, generate_secret
from trilha.oauth.schema import Introspection, IssuedSecret, NewToken, OAuthClient, TokenAnswer
from trilha.oauth.signing_keys import TOKEN_LIFETIME
from trilha.oauth.tokens import AccessTokens, Claims


async def create(
    tx: Tx, name: str, scopes: list[str], *, networks: str = "", public_keys: dict[str, Any] | None = None
) -> IssuedSecret:
    """A client with a secret, or one that signs with the keys of this JWK set. Raises CredentialRefused."""
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
    """A new secret; the one it replaces works for `grace`, 0 to 7 days. Raises CredentialRefused."""
    check_grace(grace)
    client = _found(
        await queries.touch_client(tx, client_id), "There is no live client with secrets and this id."
    )
    until = Timestamp.of(tx.now + grace)
    await queries.SECRETS.end(tx, client_id, until)
    secret = generate_secret()
    await queries.SECRETS.insert(tx, client_id, tx.keyring.fingerprint(secret))
    await audit.record(tx, "oauth_client.rotated", client.id, client.name, previous_expires_at=until)
    return IssuedSecret(client, secret, until)


async def disable(tx: Tx, client_id: UUID) -> OAuthClient:
    """It gets no more tokens, and those it has are dead. Raises CredentialRefused."""
    client = _found(await queries.disable_client(tx, client_id), "There is no live client with this id.")
    await audit.record(tx, "oauth_client.disabled", client.id, client.name)
    return client


async def enable(tx: Tx, client_id: UUID) -> OAuthClient:
    """It may get tokens again. Raises CredentialRefused."""
    client = _found(await queries.enable_client(tx, client_id), "There is no disabled client with this id.")
    await audit.record(tx, "oauth_client.enabled", client.id, client.name)
    return client


async def delete(tx: Tx, client_id: UUID) -> OAuthClient:
    """With its secrets; its tokens are dead. Raises CredentialRefused."""
    client = _found(await queries.delete_client(tx, client_id), "There is no client with this id.")
    await audit.record(tx, "oauth_client.deleted", client.id, client.name)
    return client


class Issuer:
    """Stores what is issued, tokens of one tenant together: each waits for the disk once."""

    def __init__(self, database: Database, tokens: AccessTokens) -> None:
        self._database = database
        self._tokens = tokens
        self._batcher = Batcher(self._store)

    async def issue(self, client: Credential, scopes: list[str]) -> TokenAnswer:
        while True:
            made = await self._tokens.make(client.tenant_id, client.id, scopes)
            storing = await self._batcher.begin(made.row)
            token = made.sign()  # while its row is being stored
            if await storing:
                return TokenAnswer(token, "Bearer", int(TOKEN_LIFETIME.total_seconds()), made.row.scope)
            # Its key was revoked a moment ago, by another process.
            await self._tokens.keys.reload()

    async def _store(self, batch: list[NewToken]) -> list[bool]:
        stored: set[UUID] = set()
        by_tenant: dict[UUID, list[NewToken]] = {}
        for each in batch:
            by_tenant.setdefault(each.tenant_id, []).append(each)
        for tenant_id, own in by_tenant.items():
            async with self._database.transaction(tenant_id) as tx:
                stored |= await queries.insert_tokens(tx, own, tx.now + TOKEN_LIFETIME)
        return [each.jti in stored for each in batch]


async def revoke(tx: Tx, tokens: AccessTokens, client_id: UUID, token: str) -> None:
    """Of what is no live token of this tenant there is nothing to revoke. Raises OAuthError."""
    try:
        claims = await tokens.read(token)
    except Unauthenticated:
        return
    if claims.tenant_id != tx.tenant_id:
        return
    if claims.client_id != client_id:
        raise OAuthError("unauthorized_client", "The token is another client's.")
    if await queries.revoke_token(tx, claims.jti):
        await audit.record(tx, "access_token.revoked", claims.client_id, jti=claims.jti)


def describe(
    asked: Credential, claims: Claims, client: Credential, issuer: str, now: datetime
) -> Introspection:
    """What is told of a token to a client that asks: nothing unless it is live and of the same tenant."""
    if asked.tenant_id != client.tenant_id or asked.rejection_reason(now):
        return Introspection(active=False)
    name = client_name(asked.id)
    return Introspection(
        active=True,
        scope=" ".join(asked.scopes),
        client_id=name,
        token_type="Bearer",  # noqa: S106
        exp=claims.expires_at,
        iat=claims.issued_at,
        sub=name,
        aud=issuer,
        iss=issuer,
        jti=str(claims.jti),
    )


def _found(client: OAuthClient | None, otherwise: str) -> OAuthClient:
    if client is None:
        raise CredentialRefused(otherwise)
    return client


def _check_public(public_keys: dict[str, Any]) -> None:
    try:
        read_key_set(public_keys)
    except ValueError:
        raise CredentialRefused(
            f'That is not a JWK set of public keys ({MAX_KEYS} at most): {{"keys": [...]}}.'
        ) from None
