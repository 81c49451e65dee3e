"""Downloads many certificates as one ZIP file: all that match the filters, or the selected ones."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.core.file_store import FileStore
from trilha.core.lists import find_rows, read_pages
from trilha.core.sealed_files import SealedFiles
from trilha.core.web.answers import Answer, Stream
from trilha.core.web.routes import Routes
from trilha.kit import N_, formats
from trilha.training.certificates import archive
from trilha.training.certificates.lists import FILES
from trilha.training.certificates.schema import CertificateFile, CertificateSearch
from trilha.web.panel.certificates.pages import ADDRESS, READ
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Certificates as an archive", "Many PDFs in one file.")


class Selection(Struct, frozen=True):
    id: list[UUID] = []


@routes.get("/certificates.zip", access=READ)
async def download_matching(files: FileStore, view: PanelView, query: CertificateSearch) -> Stream[bytes]:
    """Streams the PDFs of all certificates that match the filters."""
    return _stream(SealedFiles(files, view.database.keyring), view, _find_files(view, query))


@routes.post("/certificates/zip", access=READ)
async def download_selected(files: FileStore, view: PanelView, form: Selection) -> Answer:
    """Streams the PDFs of the selected certificates."""
    async with view.reading() as tx:
        certificates = await find_rows(tx, FILES, form.id, reach_of(view)) if form.id else []
    if not certificates:
        return view.lead(ADDRESS, N_("Select at least one certificate that has a PDF."), state="warn")
    return _stream(SealedFiles(files, view.database.keyring), view, _iterate(certificates))


async def _find_files(view: PanelView, query: CertificateSearch) -> AsyncIterator[CertificateFile]:
    async for rows in read_pages(view.reading, FILES, query, reach_of(view)):
        for certificate in rows:
            yield certificate


async def _iterate(certificates: Sequence[CertificateFile]) -> AsyncIterator[CertificateFile]:
    for certificate in certificates:
        yield certificate


def _stream(
    files: SealedFiles, view: PanelView, certificates: AsyncIterator[CertificateFile]
) -> Stream[bytes]:
    today = view.page.now.astimezone(ZoneInfo(view.page.time_zone)).date().isoformat()
    word = view.say(N_("certificates"))
    name = f"{word}-{view.viewer.tenant_slug}-{today}.zip"
    limit = formats.number(view.page, archive.MAX_CERTIFICATES)
    text = view.say(
        N_(
            "This file has only the first %(limit)s certificates. Use the filters of the list to"
            " download the others."
        ),
        limit=limit,
    )
    note = (view.say(N_("read me")) + ".txt", text)
    return Stream(
        archive.stream(files, certificates, view.page.time_zone, note),
        "application/zip",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )
