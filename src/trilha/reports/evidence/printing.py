"""Evidence as a PDF, set by Typst in a process of its own."""

from pathlib import Path
from typing import Any

import msgspec

from trilha.certificates.processes.pool import Workers
from trilha.core.types import enc_hook

_SOURCE = Path(__file__).with_name("evidence.typ")


class NotPrinted(Exception):
    """The paper cannot be set. The message is for who runs the server: it quotes no text of the paper."""


class EvidencePapers:
    """One at a time."""

    def __init__(self, scratch: Path) -> None:
        self._workers = Workers(
            "trilha.reports.evidence", scratch, {"evidence.typ": _SOURCE.read_bytes()}, size=1
        )

    async def print(self, paper: dict[str, Any]) -> bytes:
        """Raises NotPrinted, and Died where the process came to its end over it."""
        answer = msgspec.msgpack.decode(
            await self._workers.ask(msgspec.json.encode(paper, enc_hook=enc_hook))
        )
        if "error" in answer:
            raise NotPrinted(answer["error"])
        made: bytes = answer["made"]
        return made
