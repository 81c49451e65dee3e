"""The key pair with which a company identifies itself to push services (VAPID, RFC 8292)."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn

_CONTEXT = "push_keys"
SEALED_KEYS = SealedColumn(
    kind="keys for push messages",
    table="push_keys",
    column="private_key",
    keys={"id": "uuid"},
    context=lambda row: (_CONTEXT,),
)


async def get_public_key(tx: Tx) -> str:
    """Returns the company's public key as browsers take it, base64url without padding."""
    key = load_pem_private_key(await get_private_pem(tx), None)
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


async def get_private_pem(tx: Tx) -> bytes:
    """Returns the company's private key; the first call makes it."""
    select = "SELECT private_key FROM push_keys WHERE tenant_id = :tenant"
    sealed = await tx.value(select)
    if sealed is None:
        pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        await tx.execute(
            """
            INSERT INTO push_keys (tenant_id, private_key, created_at) VALUES (:tenant, :private_key, :now)
            ON CONFLICT (tenant_id) DO NOTHING
            """,
            private_key=tx.keyring.seal(pem.decode(), tx.tenant_id, _CONTEXT),
        )
        sealed = await tx.value(select)
    return tx.keyring.open(sealed, tx.tenant_id, _CONTEXT).encode()
