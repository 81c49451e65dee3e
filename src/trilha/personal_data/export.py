"""The export as JSON, made while it is sent."""

from collections.abc import AsyncIterator
from uuid import UUID

from trilha.core.types import Timestamp, to_json
from trilha.personal_data.parts import PARTS
from trilha.personal_data.schema import Reader
from trilha.users import queries as users
from trilha.users.schema import User


async def export(reader: Reader, user_id: UUID) -> AsyncIterator[bytes]:
    """The pieces of a DataExport. Raises NotFound, before there is a piece."""
    async with reader.transaction() as tx:
        exported_at, profile = Timestamp.of(tx.now), await users.get(tx, user_id)
    return _pieces(reader, exported_at, profile)


async def _pieces(reader: Reader, exported_at: Timestamp, profile: User) -> AsyncIterator[bytes]:
    yield b'{"exported_at":%b,"profile":%b' % (to_json(exported_at), to_json(profile))
    for part in PARTS:
        yield b',"%b":[' % part.name.encode()
        between = b""
        async for rows in part.pages(reader, profile.id):
            if rows:
                yield between + to_json(rows)[1:-1]
                between = b","
        yield b"]"
    yield b"}"
