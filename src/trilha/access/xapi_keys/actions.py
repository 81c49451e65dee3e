"""Changes to keys."""

from uuid import UUID

from trilha.access.xapi_keys import queries, rules
from trilha.access.xapi_keys.schema import IssuedXapiKey, XapiKey
from trilha.core.credentials import CredentialRefused, Scope
from trilha.core.database import Tx
from trilha.core.types import InvalidValue, Name
from trilha.platform.audit import queries as audit

SCOPES = (Scope.XAPI_READ, Scope.XAPI_WRITE)


async def create(tx: Tx, name: str, scopes: list[str]) -> IssuedXapiKey:
    """Creates a key. Raises CredentialRefused for an invalid name, and for scopes of other APIs."""
    try:
        name = Name.parse(name)
    except InvalidValue:
        raise CredentialRefused("The name must have 1 to 120 characters.") from None
    if not scopes or any(scope not in SCOPES for scope in scopes):
        raise CredentialRefused(f"The scopes must be among {', '.join(SCOPES)}.")
    key, secret = rules.generate_key(), rules.generate_secret()
    fingerprint = tx.keyring.fingerprint(rules.join(key, secret))
    created = await queries.insert(tx, name, key, fingerprint, [each for each in SCOPES if each in scopes])
    await audit.record(tx, "xapi.key_created", created.id, created.name, scopes=created.scopes)
    return IssuedXapiKey(created, secret)


async def revoke(tx: Tx, key_id: UUID) -> XapiKey:
    """Revokes a key with immediate effect. Raises CredentialRefused."""
    key = await queries.revoke(tx, key_id)
    if key is None:
        raise CredentialRefused("There is no active key with this ID.")
    await audit.record(tx, "xapi.key_revoked", key.id, key.name)
    return key
