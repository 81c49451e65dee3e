"""PDFs are signed in processes of their own, which see no text of a tenant's but the finished PDF."""

from pathlib import Path
from uuid import UUID

import msgspec

from trilha.certificates.signatures.schema import Signed, ToSign
from trilha.core.sandbox.pool import Workers


class NotSigned(Exception):
    """The message is for administrators; nothing of the key is in it."""


class Signer:
    """At most `size` processes, else as many as there are cores."""

    def __init__(self, scratch: Path, size: int | None = None) -> None:
        self.workers = Workers("trilha.certificates.signatures", scratch, {}, size)

    async def sign(self, pdf: bytes, archive: bytes, tenant_id: UUID | None = None) -> bytes:
        """Raises NotSigned, and Died where the process came to its end over it."""
        raw = await self.workers.ask(msgspec.msgpack.encode(ToSign(pdf, archive)), tenant_id=tenant_id)
        signed = msgspec.msgpack.decode(raw, type=Signed)
        if signed.error is not None:
            raise NotSigned(f"it cannot be signed with the company's key ({signed.error})")
        return signed.pdf

    async def close(self) -> None:
        await self.workers.close()
