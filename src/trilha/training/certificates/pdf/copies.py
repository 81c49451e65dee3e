"""Makes further forms of a certificate when somebody asks for them, and keeps their bytes.

Some public authorities accept only PDF/A-1b, which allows no attachment and no transparency, so that it is a
document of its own.
"""

import hashlib
from uuid import UUID

from msgspec import Struct

from trilha.core import logs
from trilha.core.database import Database
from trilha.core.errors import Conflict
from trilha.core.file_store import FileStore
from trilha.core.sandbox.pool import ProcessDied
from trilha.core.sealed_files import SealedFiles
from trilha.training.certificates import files
from trilha.training.certificates.pdf import queries
from trilha.training.certificates.pdf.making import Maker
from trilha.training.certificates.pdf.press import NotRendered
from trilha.training.certificates.pdf.schema import StoredPaper


class Copies(Struct, frozen=True):
    """The PDF/A-1b of certificates, made at the first request."""

    files: FileStore
    database: Database
    maker: Maker

    async def get(self, tenant_id: UUID, certificate_id: UUID) -> StoredPaper:
        """Returns the file of a certificate that has its PDF. Raises Conflict (certificate_not_rendered)."""
        async with self.database.transaction(tenant_id, read_only=True) as tx:
            stored = await queries.find_paper(tx, certificate_id)
        return stored or await self._make(tenant_id, certificate_id)

    async def _make(self, tenant_id: UUID, certificate_id: UUID) -> StoredPaper:
        async with self.database.transaction(tenant_id) as tx:
            certificate = await queries.get_printable(tx, certificate_id)
            make = await self.maker.prepare(tx, form="pdf_a1b")
        try:
            made = await make(certificate)
        except (NotRendered, ProcessDied) as error:
            logs.log_failure("rendering a PDF/A-1b failed", error)
            raise Conflict("certificate_not_rendered") from None
        digest = hashlib.sha256(made.pdf).digest()
        paper = StoredPaper(
            files.pdf_key(tenant_id, certificate_id, digest), digest, len(made.pdf), made.signed_by
        )
        await SealedFiles(self.files, self.database.keyring).put(paper.file_key, made.pdf)
        await self.files.settle()
        async with self.database.transaction(tenant_id) as tx:
            # Whoever comes second gets the file of the first, so that the bytes stay.
            kept = await queries.keep_paper(tx, certificate_id, paper)
        if kept.file_key != paper.file_key:
            await self.files.delete(paper.file_key)
        return kept

    async def close(self) -> None:
        await self.maker.close()
