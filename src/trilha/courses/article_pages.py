"""The HTML of articles: made once for each version of a text, in a process with limits, and kept beside the
module.

Who writes a text has it rendered when it is saved. A text from before, or one whose HTML an older renderer
made, is rendered when it is first opened.
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
from trilha.core.sandbox.pool import Died, TooCostly, Workers
from trilha.courses import article_queries, articles
from trilha.courses.rendering import RENDERED

# A text of the usual kind and the greatest length takes a third of this; nobody waits for a second.
_LIMITS = Limits(memory=512 * MIB, seconds=0.7)
_PROCESSES = 2


class ArticlePages:
    def __init__(self, database: Database, scratch: Path) -> None:
        self._database = database
        self._workers = Workers(
            "trilha.courses.rendering", scratch, size=_PROCESSES, limits=_LIMITS, per_tenant=1
        )
        self._rendering: dict[tuple[UUID, bytes], asyncio.Task[str]] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    async def render(self, tenant_id: UUID, body: str) -> Markup:
        """Of a text that is not kept. Raises Invalid (text_too_complex)."""
        try:
            return _safe(await self._render(tenant_id, body))
        except TooCostly:
            raise invalid("body", "text_too_complex") from None

    async def save(self, tx: Tx, module_id: UUID, body: str) -> None:
        """Renders what an author saves, in the same transaction. Raises Invalid (text_too_complex)."""
        html = await self.render(tx.tenant_id, body)
        await article_queries.put_html(tx, module_id, _digest(body), html)

    async def get(self, tx: Tx, module_id: UUID, body: str) -> Markup:
        """As it was rendered before. A text that cannot be rendered is shown as it is written."""
        digest = _digest(body)
        html = await article_queries.find_html(tx, module_id, digest)
        if html is None:
            html = await self._render_once(tx.tenant_id, module_id, digest, body)
        return _safe(html)

    async def close(self) -> None:
        """Once what was rendered is kept."""
        await asyncio.gather(*self._keeping)
        await self._workers.close()

    async def _render(self, tenant_id: UUID, body: str) -> str:
        """Raises TooCostly, and Died."""
        answer = await self._workers.ask(body.encode(errors="replace"), tenant_id=tenant_id)
        if not answer.startswith(RENDERED):
            raise TooCostly("too complex")
        return answer[len(RENDERED) :].decode()

    async def _render_once(self, tenant_id: UUID, module_id: UUID, digest: bytes, body: str) -> str:
        """However many open it at the same time."""
        key = tenant_id, digest
        if key not in self._rendering:
            self._rendering[key] = asyncio.create_task(self._render_or_escape(tenant_id, body))
            # In a transaction of its own, and later: the reader's may write nothing.
            keeping = asyncio.create_task(self._keep(tenant_id, module_id, digest))
            self._keeping.add(keeping)
            keeping.add_done_callback(self._keeping.discard)
        return await asyncio.shield(self._rendering[key])

    async def _render_or_escape(self, tenant_id: UUID, body: str) -> str:
        try:
            return await self._render(tenant_id, body)
        except Died:
            return articles.to_plain_html(body)

    async def _keep(self, tenant_id: UUID, module_id: UUID, digest: bytes) -> None:
        try:
            html = await self._rendering[tenant_id, digest]
            async with self._database.transaction(tenant_id) as tx:
                await article_queries.put_html(tx, module_id, digest, html)
        except Exception as error:
            # The page was shown all the same, and whoever opens it next tries again.
            logs.failed("keeping an article's HTML failed", error)
        finally:
            del self._rendering[tenant_id, digest]


def _digest(body: str) -> bytes:
    """Of the text and of what renders it."""
    return hashlib.sha256(f"{articles.VERSION}\n{body}".encode(errors="replace")).digest()


def _safe(html: str) -> Markup:
    return Markup(html)  # noqa: S704 - the author's HTML is escaped
