"""Serves files of certificates at links that expire."""

from uuid import UUID

from trilha.core.database import Database
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.lists import find_row
from trilha.core.sealed_files import SealedFiles
from trilha.core.signed_links import LinkQuery
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.training.certificates import queries
from trilha.training.certificates.links import BADGE, PATH, Links, pdf_a1b_name, pdf_name
from trilha.training.certificates.lists import CERTIFICATES
from trilha.training.certificates.pdf.copies import Copies
from trilha.training.certificates.pdf.schema import StoredPaper

routes = Routes("Certificate files", "The PDFs of certificates.")


@routes.get("/{tenant_id}/{certificate_id}/{name}", access=PUBLIC)
async def get_certificate_file(
    files: FileStore,
    database: Database,
    links: Links,
    copies: Copies,
    tenant_id: UUID,
    certificate_id: UUID,
    name: str,
    query: LinkQuery,
) -> Answer:
    """Download the PDF of a certificate, as PDF/A-3b or PDF/A-1b, or its badge (`badge.jwt`)."""
    links.check(tenant_id, certificate_id, name, query, database.clock())
    async with database.transaction(tenant_id, read_only=True) as tx:
        certificate = await find_row(tx, CERTIFICATES, certificate_id)
        if name == BADGE:
            return _badge(await queries.find_badge(tx, certificate_id))
    if certificate is None or not certificate.has_file:
        raise NotFound("certificate_not_found")
    if name == pdf_a1b_name(certificate):
        return _file(files, database, name, await copies.get(tenant_id, certificate_id))
    if name != pdf_name(certificate):
        raise NotFound("certificate_not_found")
    assert certificate.file_key is not None
    assert certificate.file_size is not None
    assert certificate.file_sha256 is not None
    paper = StoredPaper(certificate.file_key, certificate.file_sha256, certificate.file_size, None)
    return _file(files, database, name, paper)


def _file(files: FileStore, database: Database, name: str, paper: StoredPaper) -> StoredFile:
    return StoredFile(
        SealedFiles(files, database.keyring),
        paper.file_key,
        paper.file_size,
        "application/pdf",
        etag=paper.file_sha256.hex(),
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


def _badge(badge: str | None) -> Answer:
    if badge is None:
        raise NotFound("certificate_not_found")
    return Answer(
        200,
        badge.encode(),
        [
            (b"content-type", b"application/vc+jwt"),
            (b"content-disposition", f'attachment; filename="{BADGE}"'.encode()),
        ],
    )


SURFACE = Surface(
    name="certificates",
    prefixes=[PATH],
    features=[routes],
    headers={"cache-control": "no-store"},
    https="redirect",
)
