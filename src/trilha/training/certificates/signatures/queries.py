"""The SQL of signing identities."""

from trilha.core.database import Tx
from trilha.training.certificates.signatures.schema import NewIdentity, SigningIdentity, StoredIdentity


async def put(tx: Tx, identity: NewIdentity, sealed: bytes) -> None:
    """Replaces the previous identity."""
    await tx.execute(
        """
        INSERT INTO signing_identities (tenant_id, sealed, subject, issuer, serial, not_before, not_after,
                                        fingerprint, created_at)
        VALUES (:tenant, :sealed, :subject, :issuer, :serial, :not_before, :not_after, :fingerprint, :now)
        ON CONFLICT (tenant_id) DO UPDATE
        SET sealed = excluded.sealed, subject = excluded.subject, issuer = excluded.issuer,
            serial = excluded.serial, not_before = excluded.not_before, not_after = excluded.not_after,
            fingerprint = excluded.fingerprint, created_at = excluded.created_at
        """,
        sealed=sealed,
        subject=identity.subject,
        issuer=identity.issuer,
        serial=identity.serial,
        not_before=identity.not_before,
        not_after=identity.not_after,
        fingerprint=identity.fingerprint,
    )


async def find(tx: Tx) -> SigningIdentity | None:
    """Returns the identity as pages show it."""
    return await tx.find(
        SigningIdentity,
        """
        SELECT subject, issuer, serial, not_before, not_after, encode(fingerprint, 'hex') AS fingerprint,
               timestamp_url, created_at
        FROM signing_identities WHERE tenant_id = :tenant
        """,
    )


async def find_stored(tx: Tx) -> StoredIdentity | None:
    return await tx.find(
        StoredIdentity,
        """
        SELECT sealed, subject, not_after, timestamp_url FROM signing_identities WHERE tenant_id = :tenant
        """,
    )


async def set_timestamp_url(tx: Tx, url: str | None) -> bool:
    """Returns False if the tenant has no signing identity."""
    return bool(
        await tx.execute(
            "UPDATE signing_identities SET timestamp_url = :url WHERE tenant_id = :tenant", url=url
        )
    )


async def delete(tx: Tx) -> bool:
    return bool(await tx.execute("DELETE FROM signing_identities WHERE tenant_id = :tenant"))
