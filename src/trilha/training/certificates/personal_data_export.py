"""The export of a person's certificates."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.lists import read_pages
from trilha.feature import ExportPart, ExportReader
from trilha.training.certificates.links import Links
from trilha.training.certificates.lists import CERTIFICATES
from trilha.training.certificates.schema import CertificatesQuery, HeldCertificate, StoredCertificate


async def _list_certificates(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[HeldCertificate]]:
    """Newest first, revoked and replaced ones included."""
    links = Links(reader.address, reader.keyring)

    async def load(tx: Tx, page: Sequence[StoredCertificate]) -> Sequence[HeldCertificate]:
        return [links.build_held_certificate(tx.tenant_id, certificate, tx.now) for certificate in page]

    query = CertificatesQuery(user_id=user_id)
    async for rows in read_pages(reader.transaction, CERTIFICATES, query, load=load):
        yield rows


EXPORT = (ExportPart("certificates", HeldCertificate, _list_certificates),)
