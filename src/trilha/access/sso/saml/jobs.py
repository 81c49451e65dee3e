"""Checks daily what providers publish: keys change, and certificates expire."""

from datetime import timedelta
from uuid import UUID

from msgspec import Struct

from trilha.access.sso import queries as connections
from trilha.access.sso.domains.queries import list_administrators
from trilha.access.sso.errors import REASONS, SignInRefused
from trilha.access.sso.saml import actions, queries
from trilha.access.sso.saml.certificates import expires_at, load_certificate
from trilha.access.sso.saml.metadata import ProviderMetadata
from trilha.access.sso.saml.schema import SamlDetail
from trilha.core.credentials import SYSTEM
from trilha.core.database import Database, Tx
from trilha.core.jobs import oldest
from trilha.core.types import Timestamp
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import AnyMessage, SsoCertificateExpires, SsoCertificatesChanged

AGE = timedelta(days=1)
NOTICE_PERIOD = timedelta(days=30)
_BATCH = 20
_DUE = oldest("sso_saml", "(looked_at IS NULL OR looked_at < :before)", "looked_at NULLS FIRST")
# Codes of alerts, about metadata and about certificates.
METADATA, CERTIFICATE = "metadata", "certificate"


class LookAfterMetadata(Struct, frozen=True):
    """Checks the metadata of connections. `address` is the server's public address, for links in e-mails."""

    reader: actions.MetadataReader
    address: str
    name: str = "look after SAML metadata"
    rest: float = 60
    is_logged: bool = True

    async def run_once(self, database: Database) -> int:
        done = 0
        for row in await database.search(_DUE, before=database.clock() - AGE):
            done += await self.run_in(database, row["tenant_id"])
        return done

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Checks the next connections of this tenant. Providers are called outside any transaction."""
        async with database.transaction(tenant_id) as tx:
            due = await queries.list_due(tx, tx.now - AGE, _BATCH)
        for detail in due:
            await self._look_after(database, tenant_id, detail)
        return len(due)

    async def _look_after(self, database: Database, tenant_id: UUID, detail: SamlDetail) -> None:
        provider, failure = None, None
        if detail.metadata_url is not None:
            try:
                provider = await self.reader.fetch(tenant_id, detail.metadata_url)
            except SignInRefused as refused:
                failure = refused
        async with database.transaction(tenant_id, actor=SYSTEM) as tx:
            if await connections.find(tx, detail.connection_id) is None:
                return  # it was removed meanwhile
            if provider is not None:
                failure = await self._take(tx, detail.connection_id, provider)
            await connections.put_alert(tx, detail.connection_id, METADATA, _describe(failure))
            await self._check_certificates(tx, detail.connection_id)

    async def _take(self, tx: Tx, connection_id: UUID, provider: ProviderMetadata) -> SignInRefused | None:
        """Stores new metadata. If it is refused, returns the reason and keeps the stored one."""
        try:
            taken = await actions.take_metadata(tx, connection_id, provider)
        except SignInRefused as refused:
            return refused
        if taken.added or taken.removed:
            connection = await connections.get(tx, connection_id)
            letter = SsoCertificatesChanged(
                connection=connection.name,
                added=taken.added,
                removed=taken.removed,
                link=self._link(connection_id),
            )
            await _tell(tx, letter)
        return None

    async def _check_certificates(self, tx: Tx, connection_id: UUID) -> None:
        """Writes an e-mail about expiring certificates, once for each day on which the last one expires."""
        detail = await queries.get(tx, connection_id)
        ends = expires_at([load_certificate(each) for each in detail.certificates])
        connection = await connections.get(tx, connection_id)
        if ends - tx.now > NOTICE_PERIOD:
            await connections.put_alert(tx, connection_id, CERTIFICATE, None)
            return
        at = Timestamp.of(ends)
        before = connection.alerts.get(CERTIFICATE)
        await connections.put_alert(tx, connection_id, CERTIFICATE, at)
        if before is None or before.get("text") != at:
            letter = SsoCertificateExpires(
                connection=connection.name, expires_at=at, link=self._link(connection_id)
            )
            await _tell(tx, letter)

    def _link(self, connection_id: UUID) -> str:
        return f"{self.address}/admin/sso/{connection_id}"


async def _tell(tx: Tx, letter: AnyMessage) -> None:
    await outbox.send_all(tx, [(each, letter) for each in await list_administrators(tx)])


def _describe(failure: SignInRefused | None) -> str | None:
    if failure is None:
        return None
    return f"{REASONS[failure.code]} {failure.expected or ''} {failure.received or ''}".strip()
