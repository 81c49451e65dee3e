"""Evidence as a PDF, typeset by Typst in a process of its own."""

from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.sandbox.pool import Workers
from trilha.core.types import enc_hook

_SOURCE = Path(__file__).with_name("evidence.typ")


class NotPrinted(Exception):
    """The paper cannot be typeset. The message is for operators and quotes no text of the paper."""


class EvidencePapers:
    """Typesets a few papers at a time, shared fairly among tenants."""

    def __init__(self, scratch: Path) -> None:
        self._workers = Workers(
            "trilha.training.reports.evidence",
            scratch,
            {"evidence.typ": _SOURCE.read_bytes()},
            size=2,
            per_tenant=1,
        )

    async def print(self, tenant_id: UUID, paper: dict[str, Any]) -> bytes:
        """Raises NotPrinted, and Died if the process ended."""
        answer = msgspec.msgpack.decode(
            await self._workers.ask(msgspec.json.encode(paper, enc_hook=enc_hook), tenant_id=tenant_id)
        )
        if "error" in answer:
            raise NotPrinted(answer["error"])
        made: bytes = answer["made"]
        return made
