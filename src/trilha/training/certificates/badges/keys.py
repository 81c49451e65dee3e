"""The Ed25519 keys that sign badges. Old keys stay published, so that old badges can still be verified."""

from typing import Any

from joserfc.jwk import OKPKey
from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.platform.audit import queries as audit
from trilha.training.certificates.badges import queries

_CONTEXT = "badge_keys"
SEALED_KEYS = SealedColumn(
    kind="badge keys",
    table="badge_keys",
    column="sealed",
    keys={"kid": "text"},
    context=lambda row: (_CONTEXT, row["kid"]),
)


class SigningKey(Struct, frozen=True):
    kid: str
    key: Any


async def signing(tx: Tx) -> SigningKey:
    """Returns the tenant's signing key, creating the first one. Raises UnreadableSecret."""
    if (stored := await queries.find_signing(tx)) is None:
        await _make(tx)
        stored = await queries.find_signing(tx)
        assert stored is not None
    pem = tx.keyring.open(stored.sealed, tx.tenant_id, _CONTEXT, stored.kid)
    return SigningKey(stored.kid, OKPKey.import_key(pem))


async def rotate(tx: Tx) -> str:
    """Creates a key that signs from now on; returns its kid."""
    await queries.retire(tx)
    kid = await _make(tx)
    await audit.record(tx, "badge_key.rotated", tx.tenant_id, kid=kid)
    return kid


async def _make(tx: Tx) -> str:
    made = OKPKey.generate_key("Ed25519", private=True)
    kid = made.thumbprint()
    sealed = tx.keyring.seal(made.as_pem(private=True).decode(), tx.tenant_id, _CONTEXT, kid)
    public = {**made.as_dict(private=False), "kid": kid, "use": "sig", "alg": "EdDSA"}
    await queries.insert(tx, kid, sealed, public)
    return kid
