"""Errors are kept in memory until they are stored."""

import pytest

from trilha.core import logs
from trilha.core.database import Database
from trilha.platform.status import queries
from trilha.platform.status.jobs import keep_errors


async def test_what_could_not_be_kept_is_kept_later(database: Database) -> None:
    logs.take_errors()
    logs.trouble("test: given back", number=1)

    class Unreachable:
        def unscoped(self) -> None:
            raise ConnectionRefusedError

    with pytest.raises(ConnectionRefusedError):
        await keep_errors(Unreachable())  # type: ignore[arg-type]
    logs.trouble("test: given back", number=2)
    await keep_errors(database)
    async with database.unscoped() as unscoped:
        (found,) = [
            each for each in await queries.list_errors(unscoped) if each.message == "test: given back"
        ]
    assert (found.count, found.detail) == (2, {"number": 2})
    assert logs.take_errors() == {}
