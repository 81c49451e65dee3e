"""Exports and erases everything that is stored about a person."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp, to_json
from trilha.feature import Erasure, ExportPart, ExportReader
from trilha.people.users import actions as users
from trilha.people.users import queries
from trilha.people.users.schema import User


class PersonalData(Struct, frozen=True):
    """What all features export and erase. The parts are in the order of the exported file."""

    parts: Sequence[ExportPart]
    erasures: Sequence[Erasure]

    async def erase(self, tx: Tx, user_id: UUID) -> None:
        """Removes everything that identifies the user; records of training remain, without a name.

        Raises NotFound. Erasing an erased user changes nothing.
        """
        # Locked first, so that whoever is signing in meanwhile finds no user afterwards and gets no session.
        await queries.get_for_update(tx, user_id)
        for erase in self.erasures:
            await erase(tx, user_id)
        # Last, because the other erasures compare with the user's name and address. It emits the event.
        await users.erase(tx, user_id)

    async def export(self, reader: ExportReader, user_id: UUID) -> AsyncIterator[bytes]:
        """Returns the pieces of the JSON file, which is made while it is sent.

        Raises NotFound before the first piece. No transaction is open while the browser reads, and memory
        holds one page of rows.
        """
        async with reader.transaction() as tx:
            exported_at, profile = Timestamp.of(tx.now), await queries.get(tx, user_id)
        return self._pieces(reader, exported_at, profile)

    async def _pieces(
        self, reader: ExportReader, exported_at: Timestamp, profile: User
    ) -> AsyncIterator[bytes]:
        yield b'{"exported_at":%b,"profile":%b' % (to_json(exported_at), to_json(profile))
        for part in self.parts:
            yield b',"%b":[' % part.name.encode()
            separator = b""
            async for rows in part.pages(reader, profile.id):
                if rows:
                    yield separator + to_json(rows)[1:-1]
                    separator = b","
            yield b"]"
        yield b"}"
