"""Changes to API keys."""

from datetime import timedelta
from uuid import UUID

from trilha.access.api_keys import queries, rules
from trilha.access.api_keys.schema import ApiKey, IssuedKey
from trilha.core.credentials import (
    DEFAULT_GRACE,
    CredentialRefused,
    check_grace,
    check_networks,
    check_scopes,
)
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.events.catalogue import ApiKeyCreated, ApiKeyRevoked, ApiKeyRotated
from trilha.platform.events.outbox import emit


async def create(
    tx: Tx,
    name: str,
    scopes: list[str],
    *,
    prefix: str,
    networks: str = "",
    lifetime: timedelta | None = None,
) -> IssuedKey:
    """Creates a key. Raises CredentialRefused for an unknown scope or a malformed network."""
    check_scopes(scopes)
    networks = check_networks(networks)
    secret = rules.generate(prefix)
    expires_at = tx.now + lifetime if lifetime else None
    key = await queries.insert(tx, name, rules.hint(secret, prefix), scopes, networks, expires_at)
    await queries.SECRETS.insert(tx, key.id, tx.keyring.fingerprint(secret))
    await emit(tx, ApiKeyCreated(api_key_id=key.id, name=key.name, scopes=key.scopes))
    return IssuedKey(key, secret)


async def rotate(tx: Tx, key_id: UUID, *, prefix: str, grace: timedelta = DEFAULT_GRACE) -> IssuedKey:
    """Replaces the secret; the old one works for `grace`, 0 to 7 days. Raises CredentialRefused."""
    check_grace(grace)
    secret = rules.generate(prefix)
    key = await queries.change_hint(tx, key_id, rules.hint(secret, prefix))
    if key is None:
        raise CredentialRefused("There is no active key with this ID.")
    until = Timestamp.of(tx.now + grace)
    await queries.SECRETS.end(tx, key_id, until)
    await queries.SECRETS.insert(tx, key_id, tx.keyring.fingerprint(secret))
    await emit(
        tx,
        ApiKeyRotated(api_key_id=key.id, name=key.name, scopes=key.scopes, previous_expires_at=until),
    )
    return IssuedKey(key, secret, until)


async def revoke(tx: Tx, key_id: UUID) -> ApiKey:
    """Revokes a key with immediate effect. Raises CredentialRefused."""
    key = await queries.revoke(tx, key_id)
    if key is None:
        raise CredentialRefused("There is no active key with this ID.")
    await emit(tx, ApiKeyRevoked(api_key_id=key.id, name=key.name, scopes=key.scopes))
    return key
