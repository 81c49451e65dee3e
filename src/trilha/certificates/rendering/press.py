"""Sheets become PDFs, or pictures of their pages, in processes of their own."""

from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

import msgspec

from trilha.certificates import designs
from trilha.certificates.rendering.sheets import Answer, Sheet
from trilha.core.sandbox.limits import Limits
from trilha.core.sandbox.pool import Workers

Pictures = Mapping[str, bytes]


class NotRendered(Exception):
    """The sheet cannot be set. The message is for who runs the server: it quotes no text of the sheet."""


class Press:
    """At most `size` processes, else as many as there are cores."""

    def __init__(
        self,
        scratch: Path,
        size: int | None = None,
        limits: Limits | None = None,
        per_tenant: int | None = None,
    ) -> None:
        sources = {name: (designs.FOLDER / name).read_bytes() for name in designs.SOURCES}
        self.workers = Workers("trilha.certificates.rendering", scratch, sources, size, limits, per_tenant)

    async def render(self, sheet: Sheet, pictures: Pictures, tenant_id: UUID | None = None) -> list[bytes]:
        """The PDF alone, or a WebP image of each page. `pictures` are named by their content.

        Raises NotRendered, and Died where the process came to its end over it.
        """
        raw = await self.workers.ask(msgspec.msgpack.encode(sheet), pictures, tenant_id=tenant_id)
        answer = msgspec.msgpack.decode(raw, type=Answer)
        if answer.error is not None:
            raise NotRendered(answer.error)
        return answer.made

    async def close(self) -> None:
        await self.workers.close()
