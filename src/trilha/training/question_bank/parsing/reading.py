"""Reads question files in sandboxed processes, which limit time and memory."""

from pathlib import Path
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.errors import invalid
from trilha.core.sandbox.limits import MIB, Limits
from trilha.core.sandbox.pool import ProcessDied, Workers
from trilha.training.question_bank.parsing.schema import MAX_BYTES, ParsedFile

_LIMITS = Limits(memory=768 * MIB, seconds=20)


class ReadRequest(Struct):
    file_name: str
    content: bytes


def check_parsed(parsed: ParsedFile) -> None:
    """Raises Invalid for a file that could not be read, or that has no questions."""
    if parsed.problem:
        raise invalid("file", parsed.problem)
    if not parsed.questions:
        raise invalid("file", "unknown_question_format")


class QuestionFiles:
    """Reads files with questions. One at a time, each tenant in turn."""

    def __init__(self, scratch: Path) -> None:
        self._workers = Workers("trilha.training.question_bank.parsing", scratch, size=1, limits=_LIMITS)

    async def read(self, tenant_id: UUID, file_name: str, content: bytes) -> ParsedFile:
        """Raises Invalid (unknown_question_format, question_file_too_large, question_file_too_complex)."""
        if len(content) > MAX_BYTES:
            raise invalid("file", "question_file_too_large")
        message = msgspec.msgpack.encode(ReadRequest(file_name[-100:], content))
        try:
            answer = await self._workers.ask(message, tenant_id=tenant_id)
            parsed = msgspec.msgpack.decode(answer, type=ParsedFile)
        except (ProcessDied, msgspec.DecodeError):
            raise invalid("file", "question_file_too_complex") from None
        check_parsed(parsed)
        return parsed

    async def close(self) -> None:
        await self._workers.close()
