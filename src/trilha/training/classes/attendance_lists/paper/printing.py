"""Typesets lists, a few at a time, shared fairly among tenants."""

from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.sandbox.pool import Workers

_SOURCE = Path(__file__).with_name("list.typ")


class NotPrinted(Exception):
    """The list cannot be typeset. The message is for operators and quotes no text of the list."""


class AttendancePapers:
    def __init__(self, scratch: Path) -> None:
        self._workers = Workers(
            "trilha.training.classes.attendance_lists.paper",
            scratch,
            {"list.typ": _SOURCE.read_bytes()},
            size=2,
            per_tenant=1,
        )

    async def print(self, tenant_id: UUID, paper: dict[str, Any]) -> bytes:
        """Raises NotPrinted, and ProcessDied if the process ended."""
        message = msgspec.json.encode(paper)
        answer = msgspec.msgpack.decode(await self._workers.ask(message, tenant_id=tenant_id))
        if "error" in answer:
            raise NotPrinted(answer["error"])
        made: bytes = answer["made"]
        return made

    async def close(self) -> None:
        await self._workers.close()
