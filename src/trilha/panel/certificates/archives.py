"""Many certificates as one ZIP file: all that the filters find, or those that were ticked."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.certificates import archive
from trilha.certificates.lists import FILES
from trilha.certificates.schema import CertificateFile, CertificateSearch
from trilha.core.file_store import FileStore
from trilha.core.lists import find_rows, read_pages
from trilha.core.sealed_files import SealedFiles
from trilha.core.web.answers import Answer, Stream
from trilha.core.web.routes import Routes
from trilha.pages import N_, formats
from trilha.panel.certificates.pages import ADDRESS, READ
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView

routes = Routes("Certificates as an archive", "Many PDFs in one file.")


class Ticked(Struct, frozen=True):
    id: list[UUID] = []


@routes.get("/certificates.zip", access=READ)
async def download_found(files: FileStore, view: PanelView, query: CertificateSearch) -> Stream[bytes]:
    """The PDFs of what the filters find."""
    return _stream(SealedFiles(files, view.database.keyring), view, _find_files(view, query))


@routes.post("/certificates/zip", access=READ)
async def download_ticked(files: FileStore, view: PanelView, form: Ticked) -> Answer:
    """The PDFs of what was ticked."""
    async with view.reading() as tx:
        found = await find_rows(tx, FILES, form.id, reach_of(view)) if form.id else []
    if not found:
        return view.lead(ADDRESS, N_("Tick certificates whose PDF is there."), state="warn")
    return _stream(SealedFiles(files, view.database.keyring), view, _each(found))


async def _find_files(view: PanelView, query: CertificateSearch) -> AsyncIterator[CertificateFile]:
    async for rows in read_pages(view.reading, FILES, query, reach_of(view)):
        for each in rows:
            yield each


async def _each(found: Sequence[CertificateFile]) -> AsyncIterator[CertificateFile]:
    for each in found:
        yield each


def _stream(
    files: SealedFiles, view: PanelView, certificates: AsyncIterator[CertificateFile]
) -> Stream[bytes]:
    today = view.page.now.astimezone(ZoneInfo(view.page.time_zone)).date().isoformat()
    name = f"{view.say(N_('certificates'))}-{view.viewer.tenant_slug}-{today}.zip"
    most = formats.number(view.page, archive.MOST)
    text = view.say(N_("Only the first %(most)s are here. Choose fewer by the list's filters."), most=most)
    note = (view.say(N_("read me")) + ".txt", text)
    return Stream(
        archive.stream(files, certificates, view.page.time_zone, note),
        "application/zip",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )
