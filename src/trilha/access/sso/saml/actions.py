"""Creates and changes SAML connections. A provider's metadata is fetched before the transaction."""

import asyncio
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct

from trilha.access.sso import actions as shared
from trilha.access.sso import queries as connections
from trilha.access.sso.errors import REASONS, SignInRefused
from trilha.access.sso.saml import queries
from trilha.access.sso.saml.certificates import fingerprint, load_certificate, new_own_key
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.metadata import ProviderMetadata, read_metadata
from trilha.access.sso.saml.schema import NewSamlConnection, SamlConnection, SamlPatch
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.core.outbound.fetching import Fetcher, FetchFailed
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.platform.audit import queries as audit


class MetadataReader(Struct, frozen=True):
    """Reads providers' metadata from text or from their servers. `guard` decides which servers may be
    called.
    """

    fetcher: Fetcher
    guard: Guard

    def read(self, document: str | bytes) -> ProviderMetadata:
        """Raises SignInRefused."""
        raw = document.encode() if isinstance(document, str) else document
        return read_metadata(raw, plain_http=self.guard.plain_http)

    async def fetch(self, tenant_id: UUID, url: str) -> ProviderMetadata:
        """Fetches metadata. Call it outside any transaction. Raises SignInRefused."""
        try:
            fetched = await self.fetcher.get(tenant_id, url)
        except FetchFailed as error:
            raise build_refusal("saml_metadata_unreachable", url, str(error)) from None
        if fetched.status != 200:
            raise build_refusal("saml_metadata_unreachable", url, f"status {fetched.status}")
        return await asyncio.to_thread(self.read, fetched.body)

    async def look_up(self, tenant_id: UUID, metadata: str | None, url: str | None) -> ProviderMetadata:
        """Reads the metadata that an administrator gave as text or as an address. Raises BusinessRule
        with the reason.
        """
        if (metadata is None) == (url is None):
            raise BusinessRule("metadata_missing")
        try:
            if url is None:
                return await asyncio.to_thread(self.read, metadata or "")
            return await self.fetch(tenant_id, self.check_url(url))
        except SignInRefused as error:
            raise not_usable(error) from None

    def check_url(self, url: str) -> str:
        """Returns the address in its stored form. Raises SignInRefused."""
        try:
            return self.guard.parse(url)
        except BlockedAddress as error:
            raise build_refusal("saml_metadata_unreachable", url, str(error)) from None


def not_usable(error: SignInRefused) -> BusinessRule:
    return BusinessRule(
        "metadata_not_usable",
        reason=error.code,
        meaning=REASONS[error.code],
        expected=error.expected,
        received=error.received,
    )


async def create(tx: Tx, new: NewSamlConnection, provider: ProviderMetadata) -> SamlConnection:
    """Creates a connection that is not enabled yet. `provider` is the result of `look_up`."""
    own = await asyncio.to_thread(new_own_key, new.name, tx.now)
    members = {
        "kind": "SAML",
        "name": new.name,
        "jit": new.jit,
        "idp_initiated": new.idp_initiated,
        "attributes": shared.plain(new.attributes),
        "unit_attribute": new.unit_attribute,
        "units": shared.plain(new.units),
    }
    connection = await connections.insert(tx, members, new.domains)
    values = {
        **_of_provider(tx, provider),
        "metadata_url": new.metadata_url,
        "sign_requests": new.sign_requests or provider.wants_signed_requests,
        "wants_encrypted": new.wants_encrypted,
    }
    await queries.insert(tx, connection.id, values, own)
    await audit.record(tx, "sso.connection_created", connection.id, connection.name, type="SAML")
    return await get(tx, connection.id)


async def get(tx: Tx, connection_id: UUID) -> SamlConnection:
    """Raises NotFound."""
    return SamlConnection(await connections.get(tx, connection_id), await queries.get(tx, connection_id))


async def change(
    tx: Tx, connection_id: UUID, patch: SamlPatch, provider: ProviderMetadata | None = None
) -> SamlConnection:
    """Changes a connection. `provider` is the new metadata, already read.

    Raises NotFound, BusinessRule (metadata_not_usable: it belongs to another provider).
    """
    connection = await connections.get(tx, connection_id, lock=True)
    values: dict[str, Any] = {
        name: value
        for name in ("metadata_url", "sign_requests", "wants_encrypted")
        if (value := getattr(patch, name)) is not UNSET
    }
    if provider is not None:
        try:
            await take_metadata(tx, connection_id, provider)
        except SignInRefused as error:
            raise not_usable(error) from None
    if values:
        await queries.update(tx, connection_id, values)
        await audit.record(
            tx, "sso.connection_changed", connection_id, connection.name, changed=sorted(values)
        )
    await connections.update(tx, connection_id, {})
    return await get(tx, connection_id)


class CertificateChange(Struct, frozen=True):
    """Certificates that were added and removed, as SHA-256 fingerprints."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


async def take_metadata(tx: Tx, connection_id: UUID, provider: ProviderMetadata) -> CertificateChange:
    """Stores new metadata of the same provider. Raises NotFound, SignInRefused
    (saml_metadata_other_entity).
    """
    before = await queries.get(tx, connection_id, lock=True)
    if provider.entity_id != before.entity_id:
        raise build_refusal("saml_metadata_other_entity", before.entity_id, provider.entity_id)
    connection = await connections.get(tx, connection_id)
    await queries.update(tx, connection_id, _of_provider(tx, provider))
    old, new = map(_fingerprints, (before.certificates, provider.certificates))
    taken = CertificateChange(
        tuple(each for each in new if each not in old), tuple(each for each in old if each not in new)
    )
    if taken.added or taken.removed:
        await audit.record(
            tx,
            "sso.certificates_changed",
            connection_id,
            connection.name,
            added=taken.added,
            removed=taken.removed,
        )
    return taken


def _fingerprints(certificates: Any) -> list[str]:
    return [fingerprint(load_certificate(each)) for each in certificates]


def _of_provider(tx: Tx, provider: ProviderMetadata) -> dict[str, Any]:
    return {
        "entity_id": provider.entity_id,
        "sso_url": provider.sso_url,
        "slo_url": provider.slo_url,
        "slo_answer_url": provider.slo_answer_url,
        "certificates": list(provider.certificates),
        "refreshed_at": tx.now,
        "looked_at": tx.now,
    }
