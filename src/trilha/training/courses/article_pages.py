"""The lessons of article modules, converted in a sandbox, and their HTML, which is stored beside the module.

A text is rendered when it is saved. If the stored HTML is missing or was made by an older renderer, the text
is rendered when it is next opened.
"""

import asyncio
import hashlib
from pathlib import Path
from uuid import UUID

import msgspec
from markupsafe import Markup

from trilha.core import logs
from trilha.core.database import Database, Tx
from trilha.core.errors import Invalid, invalid
from trilha.core.sandbox.limits import MIB, Limits
from trilha.core.sandbox.pool import ProcessDied, TooCostly, Workers
from trilha.training.courses.lessons import process, queries, rendering
from trilha.training.courses.lessons.comparing import Block
from trilha.training.courses.lessons.schema import ConvertedLesson, LessonText
from trilha.training.courses.lessons.word_reading import WordText

# A typical text of the maximum length takes a third of this. No request should wait longer than a second.
_LIMITS = Limits(memory=512 * MIB, seconds=1.0)
# A Word file with pictures takes longer, and is converted once.
_WORD_LIMITS = Limits(memory=768 * MIB, seconds=10.0)
_PROCESSES = 2
_MODULE = "trilha.training.courses.lessons.process"


class ArticlePages:
    def __init__(self, database: Database, scratch: Path) -> None:
        self._database = database
        self._workers = Workers(_MODULE, scratch, size=_PROCESSES, limits=_LIMITS, per_tenant=1)
        self._word_workers = Workers(_MODULE, scratch, size=1, limits=_WORD_LIMITS, per_tenant=1)
        self._rendering: dict[tuple[UUID, bytes], asyncio.Task[str]] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    async def convert_markdown(self, tenant_id: UUID, body: str, field: str = "body") -> ConvertedLesson:
        """Converts Markdown to a document without storing it. Raises Invalid (text_too_complex)."""
        answer = await self._ask(tenant_id, process.OF_MARKDOWN + body.encode(errors="replace"), field)
        return msgspec.json.decode(answer, type=ConvertedLesson)

    async def check_document(
        self, tenant_id: UUID, document: str, field: str = "document"
    ) -> ConvertedLesson:
        """Checks a document in JSON, and returns what it contains of what is allowed. Raises Invalid for
        anything that is not allowed.
        """
        answer = await self._ask(tenant_id, process.OF_DOCUMENT + document.encode(errors="replace"), field)
        return msgspec.json.decode(answer, type=ConvertedLesson)

    async def convert_text(self, tenant_id: UUID, text: LessonText) -> ConvertedLesson:
        """Converts a stored version. Raises Invalid (text_too_complex)."""
        if text.document is None:
            return await self.convert_markdown(tenant_id, text.body)
        return await self.check_document(tenant_id, msgspec.json.encode(text.document).decode())

    async def read_word(self, tenant_id: UUID, content: bytes, field: str = "file") -> WordText:
        """Converts a Word file. Raises Invalid (word_unreadable, text_too_complex)."""
        answer = await self._ask(tenant_id, process.OF_WORD + content, field, self._word_workers)
        return msgspec.json.decode(answer, type=WordText)

    async def compare(self, tenant_id: UUID, before: object, after: object) -> list[Block]:
        """Compares two documents, or texts in Markdown. Raises Invalid (text_too_complex)."""
        message = process.OF_TWO + msgspec.json.encode([before, after])
        return msgspec.json.decode(await self._ask(tenant_id, message, "document"), type=list[Block])

    async def render(self, tenant_id: UUID, body: str) -> Markup:
        """Renders Markdown without storing it. Raises Invalid (text_too_complex)."""
        return _safe((await self.convert_markdown(tenant_id, body)).html)

    async def save(self, tx: Tx, module_id: UUID, body: str) -> None:
        """Renders an author's Markdown and stores the HTML in the caller's transaction. Raises Invalid
        (text_too_complex).
        """
        html = await self.render(tx.tenant_id, body)
        await queries.put_html(tx, module_id, _digest(body), html)

    async def save_document(
        self, tx: Tx, module_id: UUID, number: int, html: str, language: str = ""
    ) -> None:
        """Stores the HTML of a version that was just published."""
        await queries.put_html(tx, module_id, _digest_version(number), html, language)

    async def get(self, tx: Tx, module_id: UUID, body: str, language: str = "") -> Markup:
        """Returns the stored HTML, rendering it if needed. A text that cannot be rendered is shown as plain
        text. `body` is the module's, for a lesson without versions; one that has none in the language is
        shown in the course's own.
        """
        head = await queries.find_head(tx, module_id, language)
        if head is None and language:
            return await self.get(tx, module_id, body)
        is_document = head is not None and head.is_document
        digest = _digest_version(head.number) if head and is_document else _digest(body)
        html = await queries.find_html(tx, module_id, digest, language)
        if html is None:
            text = await queries.find_text(tx, module_id, language) if is_document else None
            text = text or LessonText(0, None, body)
            html = await self._render_once(tx.tenant_id, module_id, digest, text, language)
        return _safe(html)

    async def close(self) -> None:
        """Waits until pending HTML is stored."""
        await asyncio.gather(*self._keeping)
        await self._workers.close()
        await self._word_workers.close()

    async def _ask(
        self, tenant_id: UUID, message: bytes, field: str, workers: Workers | None = None
    ) -> bytes:
        """Raises Invalid, and ProcessDied."""
        try:
            answer = await (workers or self._workers).ask(message, tenant_id=tenant_id)
        except TooCostly:
            raise invalid(field, "text_too_complex") from None
        if answer.startswith(process.STATUS_REFUSED):
            path, code = msgspec.json.decode(answer[1:], type=tuple[str, str])
            raise invalid(f"{field}.{path}" if path and path != field else field, code)
        if not answer.startswith(process.STATUS_DONE):
            raise invalid(field, "text_too_complex")
        return answer[1:]

    async def _render_once(
        self, tenant_id: UUID, module_id: UUID, digest: bytes, text: LessonText, language: str
    ) -> str:
        """Renders a text once even if several readers open it at the same time."""
        key = module_id, digest
        if key not in self._rendering:
            self._rendering[key] = asyncio.create_task(self._render_or_escape(tenant_id, text))
            # In a later transaction, because the reader's is read-only.
            keeping = asyncio.create_task(self._keep(tenant_id, module_id, digest, language))
            self._keeping.add(keeping)
            keeping.add_done_callback(self._keeping.discard)
        return await asyncio.shield(self._rendering[key])

    async def _render_or_escape(self, tenant_id: UUID, text: LessonText) -> str:
        try:
            return (await self.convert_text(tenant_id, text)).html
        except (Invalid, ProcessDied):
            return rendering.render_text(text.body)

    async def _keep(self, tenant_id: UUID, module_id: UUID, digest: bytes, language: str) -> None:
        try:
            html = await self._rendering[module_id, digest]
            async with self._database.transaction(tenant_id) as tx:
                await queries.put_html(tx, module_id, digest, html, language)
        except Exception as error:
            # The page was shown anyway, and the next reader stores it.
            logs.log_failure("keeping an article's HTML failed", error)
        finally:
            del self._rendering[module_id, digest]


def _digest(body: str) -> bytes:
    """Returns a digest of the text and of the renderer's version."""
    return hashlib.sha256(f"{rendering.VERSION}\n{body}".encode(errors="replace")).digest()


def _digest_version(number: int) -> bytes:
    """Returns the digest of a document, which never changes under its number."""
    return hashlib.sha256(f"{rendering.VERSION}\n\0version {number}".encode()).digest()


def _safe(html: str) -> Markup:
    return Markup(html)  # noqa: S704 - the author's HTML is escaped
