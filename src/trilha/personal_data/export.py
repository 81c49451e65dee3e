"""The export as JSON, made while it is sent."""

from collections.abc import AsyncIterator
from uuid import UUID

from trilha.core.database import Reading
from trilha.core.types import Timestamp, to_json
from trilha.personal_data.parts import PARTS
from trilha.users import queries as users
from trilha.users.schema import User


async def export(reading: Reading, user_id: UUID) -> AsyncIterator[bytes]:
    """The pieces of a DataExport. Raises NotFound, before there is a piece."""
    async with reading() as tx:
        exported_at, profile = Timestamp.of(tx.now), await users.get(tx, user_id)
    return _pieces(reading, exported_at, profile)


async def _pieces(reading: Reading, exported_at: Timestamp, profile: User) -> AsyncIterator[bytes]:
    yield b'{"exported_at":%b,"profile":%b' % (to_json(exported_at), to_json(profile))
    for part in PARTS:
        yield b',"%b":[' % part.name.encode()
        between = b""
        async for rows in part.pages(reading, profile.id):
            if rows:
                yield between + to_json(rows)[1:-1]
                between = b","
        yield b"]"
    yield b"}"
