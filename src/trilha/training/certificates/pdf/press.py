"""Renders sheets as PDFs or page images in sandboxed processes."""

from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

import msgspec

from trilha.core.sandbox.limits import Limits
from trilha.core.sandbox.pool import Workers
from trilha.training.certificates import designs
from trilha.training.certificates.pdf.sheets import Answer, DocumentSheet, Sheet

Pictures = Mapping[str, bytes]


class NotRendered(Exception):
    """The sheet cannot be rendered. The message is for operators and quotes no text of the sheet."""


class Press:
    """Runs at most `size` processes, by default one for each core."""

    def __init__(
        self,
        scratch: Path,
        size: int | None = None,
        limits: Limits | None = None,
        per_tenant: int | None = None,
    ) -> None:
        sources = {name: (designs.FOLDER / name).read_bytes() for name in designs.SOURCES}
        self.workers = Workers("trilha.training.certificates.pdf", scratch, sources, size, limits, per_tenant)

    async def render(
        self, sheet: Sheet | DocumentSheet, pictures: Pictures, tenant_id: UUID | None = None
    ) -> list[bytes]:
        """Returns one PDF, or a WebP image of each page. `pictures` are named by their content.

        Raises NotRendered, and Died if the process ended.
        """
        raw = await self.workers.ask(msgspec.msgpack.encode(sheet), pictures, tenant_id=tenant_id)
        answer = msgspec.msgpack.decode(raw, type=Answer)
        if answer.error is not None:
            raise NotRendered(answer.error)
        return answer.made

    async def close(self) -> None:
        await self.workers.close()
