"""The HTML of articles: rendered once for each version of a text, in a sandbox, and stored beside the module.

A text is rendered when it is saved. If the stored HTML is missing or was made by an older renderer, the text
is rendered when it is next opened.
"""

import asyncio
import hashlib
from pathlib import Path
from uuid import UUID

from markupsafe import Markup

from trilha.core import logs
from trilha.core.database import Database, Tx
from trilha.core.errors import invalid
from trilha.core.sandbox.limits import MIB, Limits
from trilha.core.sandbox.pool import ProcessDied, TooCostly, Workers
from trilha.training.courses import article_queries, articles
from trilha.training.courses.rendering import STATUS_RENDERED

# A typical text of the maximum length takes a third of this. No request should wait longer than a second.
_LIMITS = Limits(memory=512 * MIB, seconds=0.7)
_PROCESSES = 2


class ArticlePages:
    def __init__(self, database: Database, scratch: Path) -> None:
        self._database = database
        self._workers = Workers(
            "trilha.training.courses.rendering", scratch, size=_PROCESSES, limits=_LIMITS, per_tenant=1
        )
        self._rendering: dict[tuple[UUID, bytes], asyncio.Task[str]] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    async def render(self, tenant_id: UUID, body: str) -> Markup:
        """Renders a text without storing it. Raises Invalid (text_too_complex)."""
        try:
            return _safe(await self._render(tenant_id, body))
        except TooCostly:
            raise invalid("body", "text_too_complex") from None

    async def save(self, tx: Tx, module_id: UUID, body: str) -> None:
        """Renders and stores an author's text in the caller's transaction. Raises Invalid
        (text_too_complex).
        """
        html = await self.render(tx.tenant_id, body)
        await article_queries.put_html(tx, module_id, _digest(body), html)

    async def get(self, tx: Tx, module_id: UUID, body: str) -> Markup:
        """Returns the stored HTML, rendering it if needed. A text that cannot be rendered is shown as plain
        text.
        """
        digest = _digest(body)
        html = await article_queries.find_html(tx, module_id, digest)
        if html is None:
            html = await self._render_once(tx.tenant_id, module_id, digest, body)
        return _safe(html)

    async def close(self) -> None:
        """Waits until pending HTML is stored."""
        await asyncio.gather(*self._keeping)
        await self._workers.close()

    async def _render(self, tenant_id: UUID, body: str) -> str:
        """Raises TooCostly, and Died."""
        answer = await self._workers.ask(body.encode(errors="replace"), tenant_id=tenant_id)
        if not answer.startswith(STATUS_RENDERED):
            raise TooCostly("too complex")
        return answer[len(STATUS_RENDERED) :].decode()

    async def _render_once(self, tenant_id: UUID, module_id: UUID, digest: bytes, body: str) -> str:
        """Renders a text once even if several readers open it at the same time."""
        key = tenant_id, digest
        if key not in self._rendering:
            self._rendering[key] = asyncio.create_task(self._render_or_escape(tenant_id, body))
            # In a later transaction, because the reader's is read-only.
            keeping = asyncio.create_task(self._keep(tenant_id, module_id, digest))
            self._keeping.add(keeping)
            keeping.add_done_callback(self._keeping.discard)
        return await asyncio.shield(self._rendering[key])

    async def _render_or_escape(self, tenant_id: UUID, body: str) -> str:
        try:
            return await self._render(tenant_id, body)
        except ProcessDied:
            return articles.to_plain_html(body)

    async def _keep(self, tenant_id: UUID, module_id: UUID, digest: bytes) -> None:
        try:
            html = await self._rendering[tenant_id, digest]
            async with self._database.transaction(tenant_id) as tx:
                await article_queries.put_html(tx, module_id, digest, html)
        except Exception as error:
            # The page was shown anyway, and the next reader stores it.
            logs.log_failure("keeping an article's HTML failed", error)
        finally:
            del self._rendering[tenant_id, digest]


def _digest(body: str) -> bytes:
    """Returns a digest of the text and of the renderer's version."""
    return hashlib.sha256(f"{articles.VERSION}\n{body}".encode(errors="replace")).digest()


def _safe(html: str) -> Markup:
    return Markup(html)  # noqa: S704 - the author's HTML is escaped
