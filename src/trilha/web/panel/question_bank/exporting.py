"""The export of the questions that match the filters of the list."""

import asyncio
import codecs
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, get_args
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.lists import count, read_pages
from trilha.core.web.answers import Html, Stream
from trilha.core.web.routes import Routes
from trilha.kit import formats
from trilha.training.courses import media, module_queries
from trilha.training.question_bank import exporting, queries
from trilha.training.question_bank.lists import BANK_QUESTIONS
from trilha.training.question_bank.parsing.schema import Format
from trilha.training.question_bank.schema import BankQuery, BankQuestion
from trilha.web.panel import lists
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.question_bank.pages import PATH
from trilha.web.panel.question_bank.words import FORMATS
from trilha.web.panel.view import PanelView

routes = Routes("Export of questions", "Questions as files for other systems.")
_MEDIA_TYPES: Mapping[Format, str] = {
    "gift": "text/plain; charset=utf-8",
    "xml": "application/xml",
    "csv": "text/csv; charset=utf-8",
}
_ENDINGS: Mapping[Format, str] = {"gift": "gift.txt", "xml": "xml", "csv": "csv"}
_MAX_PICTURE_BYTES = 32 * 1024 * 1024


@routes.get("/questions/export", access=WRITE)
async def choose_format(tx: Tx, view: PanelView, query: BankQuery) -> Html:
    """Show the formats, with the number of questions that match the filters."""
    found = await count(tx, BANK_QUESTIONS, query)
    return view.show(
        "panel/question_bank/export.html",
        count=found,
        limit=exporting.MAX_EXPORTED,
        formats=[
            (name, words, lists.address(f"{PATH}/export/{name}", query)) for name, words in FORMATS.items()
        ],
        path=PATH,
    )


@routes.get("/questions/export/{export_format}", access=WRITE)
async def download(view: PanelView, export_format: str, query: BankQuery, files: FileStore) -> Stream[bytes]:
    """Download the questions that match the filters, the newest first."""
    form = next((each for each in get_args(Format) if each == export_format), None)
    if form is None:
        raise NotFound("route_not_found")
    ids = await _list_ids(view, query)
    async with view.reading() as tx:
        questions = await queries.list_by_ids(tx, ids)
        keys = await _find_pictures(tx, view.tenant_id, questions) if form == "xml" else {}
    content = await _write(view, form, questions, await _read_pictures(files, keys))
    disposition = f'attachment; filename="questions.{_ENDINGS[form]}"'
    return Stream(_send(content), _MEDIA_TYPES[form], headers={"content-disposition": disposition})


async def _send(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _list_ids(view: PanelView, query: BankQuery) -> list[UUID]:
    """Returns the newest questions that match the filters, as many as fit into a file."""
    ids = list[UUID]()
    async for page in read_pages(view.reading, BANK_QUESTIONS, query):
        ids += [each.id for each in page]
        if len(ids) >= exporting.MAX_EXPORTED:
            break
    return ids[: exporting.MAX_EXPORTED]


async def _write(
    view: PanelView, form: Format, questions: Sequence[BankQuestion], pictures: Mapping[UUID, bytes]
) -> bytes:
    if form == "xml":
        return await asyncio.to_thread(exporting.write_xml, questions, pictures)
    if form == "gift":
        return exporting.write_gift(questions).encode()
    words = exporting.Words(english=view.page.locale == "en")
    table = exporting.write_table(questions, words, formats.csv_separator(view.page))
    return codecs.BOM_UTF8 + table.encode()


async def _find_pictures(
    tx: Tx, tenant_id: UUID, questions: Sequence[BankQuestion]
) -> dict[UUID, tuple[str, int]]:
    """Returns the keys in the file store and the sizes of all pictures."""
    ids = [
        picture.file_id
        for each in questions
        for picture in (each.question.picture, *(choice.picture for choice in each.question.choices))
        if picture
    ]
    rows: Sequence[Any] = await module_queries.list_media(tx, ids)
    return {row.id: (media.key(tenant_id, row.sha256), row.size) for row in rows}


async def _read_pictures(files: FileStore, keys: Mapping[UUID, tuple[str, int]]) -> dict[UUID, bytes]:
    """Reads pictures until they would make the file too large."""
    found, left = dict[UUID, bytes](), _MAX_PICTURE_BYTES
    for id, (key, size) in keys.items():
        left -= size
        if left < 0:
            break
        try:
            found[id] = b"".join([part async for part in files.read(key)])
        except FileNotFoundError:
            continue
    return found
