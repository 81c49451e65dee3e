"""Signs PDFs in processes of their own, which see nothing of a tenant but the finished PDF."""

from pathlib import Path
from uuid import UUID

import msgspec

from trilha.core.sandbox.pool import Workers
from trilha.training.certificates.signatures.schema import SigningResult, ToSign


class NotSigned(Exception):
    """The PDF could not be signed. The message is for administrators and contains nothing of the key."""


class Signer:
    """Runs at most `size` processes, by default one for each core."""

    def __init__(self, scratch: Path, size: int | None = None) -> None:
        self.workers = Workers("trilha.training.certificates.signatures", scratch, {}, size)

    async def sign(
        self, pdf: bytes, archive: bytes, tenant_id: UUID | None = None, *, has_room: bool = False
    ) -> bytes:
        """`has_room` leaves room for a timestamp. Raises NotSigned, and Died if the process ended."""
        message = msgspec.msgpack.encode(ToSign(pdf, archive, has_room))
        raw = await self.workers.ask(message, tenant_id=tenant_id)
        signed = msgspec.msgpack.decode(raw, type=SigningResult)
        if signed.error is not None:
            raise NotSigned(f"it cannot be signed with the company's key ({signed.error})")
        return signed.pdf

    async def close(self) -> None:
        await self.workers.close()
