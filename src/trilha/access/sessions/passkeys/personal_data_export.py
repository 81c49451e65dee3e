"""The export of a person's passkeys: their names and dates, and nothing that opens or proves anything."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from trilha.access.sessions.passkeys import queries
from trilha.access.sessions.passkeys.schema import ExportedPasskey
from trilha.feature import ExportPart, ExportReader


async def _list_passkeys(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[ExportedPasskey]]:
    async with reader.transaction() as tx:
        yield await queries.list_exported(tx, user_id)


EXPORT = (ExportPart("passkeys", ExportedPasskey, _list_passkeys),)
