"""Reads PKCS #12 files in sandboxed processes, which limit the work that a file asks for."""

from datetime import datetime
from pathlib import Path
from uuid import UUID

import msgspec

from trilha.core.errors import invalid
from trilha.core.sandbox.limits import MIB, Limits
from trilha.core.sandbox.pool import ProcessDied, Workers
from trilha.core.types import dec_hook
from trilha.training.certificates.signatures.schema import IdentityReadResult, NewIdentity, ToRead

# The allowed rounds take half a second; most files take 20 ms.
_LIMITS = Limits(memory=512 * MIB, seconds=0.7)
_PROCESSES = 2


class IdentityReader:
    def __init__(self, scratch: Path) -> None:
        self._workers = Workers(
            "trilha.training.certificates.signatures.opening",
            scratch,
            size=_PROCESSES,
            limits=_LIMITS,
            per_tenant=1,
        )

    async def read(self, tenant_id: UUID, content: bytes, password: str, now: datetime) -> NewIdentity:
        """Reads a file, outside any transaction because it may take a second. Raises Invalid for `identity`
        or `password`.
        """
        message = msgspec.msgpack.encode(ToRead(content, password, now))
        try:
            raw = await self._workers.ask(message, tenant_id=tenant_id)
        except ProcessDied:
            raise invalid("identity", "identity_too_costly") from None
        read = msgspec.msgpack.decode(raw, type=IdentityReadResult, dec_hook=dec_hook)
        if read.identity is None:
            field, code = read.refused or ("identity", "identity_not_pkcs12")
            raise invalid(field, code)
        return read.identity

    async def close(self) -> None:
        await self._workers.close()
