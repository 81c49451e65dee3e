"""Changes to a tenant's signing identity, inside the caller's transaction."""

import base64

import trilha.training.certificates.signatures.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.resealing.columns import SealedColumn
from trilha.platform.audit import queries as audit
from trilha.training.certificates.signatures import queries
from trilha.training.certificates.signatures.schema import NewIdentity, OpenedIdentity, SigningIdentity

_CONTEXT = "signing_identities"
SEALED_IDENTITIES = SealedColumn(
    kind="keys that sign certificates",
    table="signing_identities",
    column="sealed",
    keys={"tenant_id": "uuid"},
    context=lambda _: (_CONTEXT,),
)


async def put(tx: Tx, identity: NewIdentity) -> SigningIdentity:
    """Stores the key that signs certificates from now on. The file's password is not stored."""
    sealed = tx.keyring.seal(base64.b64encode(identity.archive).decode(), tx.tenant_id, _CONTEXT)
    await queries.put(tx, identity, sealed)
    await audit.record(
        tx,
        "signing_identity.set",
        tx.tenant_id,
        subject=identity.subject,
        issuer=identity.issuer,
        not_after=identity.not_after,
        fingerprint=identity.fingerprint.hex(),
    )
    found = await queries.find(tx)
    assert found is not None
    return found


async def remove(tx: Tx) -> None:
    """Stops signing certificates. Raises NotFound."""
    if not await queries.delete(tx):
        raise NotFound("identity_not_found")
    await audit.record(tx, "signing_identity.removed", tx.tenant_id)


async def set_timestamp_url(tx: Tx, url: str | None, guard: Guard) -> None:
    """Chooses the server that timestamps signatures; None is the installation's. Raises NotFound, and Invalid
    for an address that is not allowed.
    """
    try:
        checked = guard.parse(url) if url else None
    except BlockedAddress as error:
        raise invalid("timestamp_url", str(error)) from None
    if not await queries.set_timestamp_url(tx, checked):
        raise NotFound("identity_not_found")
    await audit.record(tx, "signing_identity.timestamp_set", tx.tenant_id, url=checked)


async def open_archive(tx: Tx) -> OpenedIdentity | None:
    """Returns None if the tenant has no signing identity. Raises UnreadableSecret."""
    if (stored := await queries.find_stored(tx)) is None:
        return None
    archive = base64.b64decode(tx.keyring.open(stored.sealed, tx.tenant_id, _CONTEXT))
    return OpenedIdentity(archive, stored.subject, stored.not_after, stored.timestamp_url)
