"""Evidence as a PDF, set by Typst in a process of its own."""

from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.sandbox.pool import Workers
from trilha.core.types import enc_hook

_SOURCE = Path(__file__).with_name("evidence.typ")


class NotPrinted(Exception):
    """The paper cannot be set. The message is for who runs the server: it quotes no text of the paper."""


class EvidencePapers:
    """A few at a time; tenants take turns."""

    def __init__(self, scratch: Path) -> None:
        self._workers = Workers(
            "trilha.reports.evidence", scratch, {"evidence.typ": _SOURCE.read_bytes()}, size=2, per_tenant=1
        )

    async def print(self, tenant_id: UUID, paper: dict[str, Any]) -> bytes:
        """Raises NotPrinted, and Died where the process came to its end over it."""
        answer = msgspec.msgpack.decode(
            await self._workers.ask(msgspec.json.encode(paper, enc_hook=enc_hook), tenant_id=tenant_id)
        )
        if "error" in answer:
            raise NotPrinted(answer["error"])
        made: bytes = answer["made"]
        return made
