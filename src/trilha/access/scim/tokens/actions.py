"""Changes to SCIM tokens."""

from datetime import timedelta
from uuid import UUID

from trilha.access.scim.tokens import queries, rules
from trilha.access.scim.tokens.schema import IssuedToken, ScimToken
from trilha.core.credentials import DEFAULT_GRACE, CredentialRefused, check_grace, check_networks
from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.core.types import InvalidValue, Name, Timestamp
from trilha.platform.audit import queries as audit

MAX_REQUESTS = 1_000_000
_CONTEXT = "scim_token"
SEALED_TOKENS = SealedColumn(
    kind="SCIM tokens",
    table="scim_token_secrets",
    column="sealed",
    keys={"fingerprint": "bytea"},
    context=lambda row: (_CONTEXT, row["token_id"]),
    also=("token_id",),
)


async def create(tx: Tx, name: str, *, networks: str = "", lifetime: timedelta | None = None) -> IssuedToken:
    """Creates a token. Raises CredentialRefused for an invalid name or network."""
    try:
        name = Name.parse(name)
    except InvalidValue:
        raise CredentialRefused("The name must have 1 to 120 characters.") from None
    networks = check_networks(networks)
    secret = rules.generate()
    expires_at = tx.now + lifetime if lifetime else None
    token = await queries.insert(tx, name, rules.hint(secret), networks, expires_at)
    await _store_secret(tx, token.id, secret)
    await audit.record(tx, "scim.token_created", token.id, token.name)
    return IssuedToken(token, secret)


async def rotate(tx: Tx, token_id: UUID, grace: timedelta = DEFAULT_GRACE) -> IssuedToken:
    """Replaces the secret; the old one works for `grace`, 0 to 7 days. Raises CredentialRefused."""
    check_grace(grace)
    secret = rules.generate()
    token = _require(await queries.change_hint(tx, token_id, rules.hint(secret)))
    until = Timestamp.of(tx.now + grace)
    await queries.SECRETS.end(tx, token_id, until)
    await _store_secret(tx, token_id, secret)
    await audit.record(tx, "scim.token_rotated", token.id, token.name, previous_expires_at=until)
    return IssuedToken(token, secret, until)


async def revoke(tx: Tx, token_id: UUID) -> ScimToken:
    """Revokes a token with immediate effect. Raises CredentialRefused."""
    token = _require(await queries.revoke(tx, token_id))
    await audit.record(tx, "scim.token_revoked", token.id, token.name)
    return token


async def set_limit(tx: Tx, requests: int | None) -> None:
    """Sets how many requests an address may make per window; None for the server's limit.

    Raises CredentialRefused.
    """
    if requests is not None and not 1 <= requests <= MAX_REQUESTS:
        raise CredentialRefused(f"The limit must be 1 to {MAX_REQUESTS} requests.")
    if requests == await queries.find_limit(tx):
        return
    await queries.set_limit(tx, requests)
    await audit.record(tx, "scim.limit_changed", tx.tenant_id, requests=requests)


async def _store_secret(tx: Tx, token_id: UUID, secret: str) -> None:
    sealed = tx.keyring.seal(secret, tx.tenant_id, _CONTEXT, token_id)
    await queries.SECRETS.insert(tx, token_id, tx.keyring.fingerprint(secret), sealed)


def _require(token: ScimToken | None) -> ScimToken:
    if token is None:
        raise CredentialRefused("There is no active token with this ID.")
    return token
