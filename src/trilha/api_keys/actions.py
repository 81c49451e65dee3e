"""What can be done to an API key."""

from datetime import timedelta
from uuid import UUID

from trilha.api_keys import queries, rules
from trilha.api_keys.schema import ApiKey, IssuedKey
from trilha.core.db import Tx
from trilha.core.net import parse_networks
from trilha.core.types import Timestamp
from trilha.events.catalogue import ApiKeyCreated, ApiKeyRevoked, ApiKeyRotated
from trilha.events.outbox import emit

LONGEST_GRACE = timedelta(days=7)


class KeyRefused(ValueError):
    """What was asked of a key cannot be done. One sentence."""


async def create(
    tx: Tx,
    name: str,
    scopes: list[str],
    *,
    prefix: str,
    networks: str = "",
    lifetime: timedelta | None = None,
) -> IssuedKey:
    """Raises KeyRefused for an unknown scope or a malformed network."""
    if unknown := rules.unknown_scopes(scopes):
        raise KeyRefused(f"There is no scope {unknown[0]}.")
    if not scopes:
        raise KeyRefused("A key needs at least one scope.")
    try:
        networks = ",".join(map(str, parse_networks(networks)))
    except ValueError as error:
        raise KeyRefused(f"That is not a network: {error}.") from None
    secret = rules.generate(prefix)
    expires_at = tx.now + lifetime if lifetime else None
    key = await queries.insert(tx, name, rules.hint(secret, prefix), scopes, networks, expires_at)
    await queries.add_secret(tx, key.id, tx.keyring.fingerprint(secret))
    await emit(tx, ApiKeyCreated(api_key_id=key.id, name=key.name, scopes=key.scopes))
    return IssuedKey(key, secret)


async def rotate(tx: Tx, key_id: UUID, *, prefix: str, grace: timedelta = timedelta(days=1)) -> IssuedKey:
    """A new secret; the old one works for `grace`, 0 to 7 days. Raises KeyRefused."""
    if not timedelta() <= grace <= LONGEST_GRACE:
        raise KeyRefused("The grace is 0 to 7 days.")
    secret = rules.generate(prefix)
    key = await queries.change_hint(tx, key_id, rules.hint(secret, prefix))
    if key is None:
        raise KeyRefused("There is no live key with this id.")
    await queries.end_secrets(tx, key_id, tx.now + grace)
    await queries.add_secret(tx, key_id, tx.keyring.fingerprint(secret))
    until = Timestamp.of(tx.now + grace)
    await emit(
        tx,
        ApiKeyRotated(api_key_id=key.id, name=key.name, scopes=key.scopes, previous_expires_at=until),
    )
    return IssuedKey(key, secret, until)


async def revoke(tx: Tx, key_id: UUID) -> ApiKey:
    """Refused from the next request on. Raises KeyRefused."""
    key = await queries.revoke(tx, key_id)
    if key is None:
        raise KeyRefused("There is no live key with this id.")
    await emit(tx, ApiKeyRevoked(api_key_id=key.id, name=key.name, scopes=key.scopes))
    return key
