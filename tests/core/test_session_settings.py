"""The settings of serving sessions belong to the database's users, and connections are added up."""

import asyncpg

from conftest import World
from trilha.core import logs
from trilha.core.clock import system_clock
from trilha.core.database import OTHER_CONNECTIONS, Database
from trilha.core.database.connection_limits import find_connection_limits
from trilha.core.database.logins import serving_urls
from trilha.core.database.session_settings import APP_SETTINGS, UNSCOPED_SETTINGS
from trilha.core.secrets import Keyring
from trilha.settings import Settings


async def test_every_session_has_them(world: World) -> None:
    async with world.tx() as tx:
        for name, value in APP_SETTINGS.items():
            assert await tx.value("SELECT current_setting(:name), :tenant::uuid", name=name) == value
        source = "SELECT source, :tenant::uuid FROM pg_settings WHERE name = 'synchronous_commit'"
        assert await tx.value(source) != "database user"
    async with world.database.unscoped() as unscoped:
        for name, value in UNSCOPED_SETTINGS.items():
            assert await unscoped.value("SELECT current_setting(:name)", name=name) == value


async def test_missing_ones_are_logged_with_the_statement(
    database: Database, database_url: str, keyring: Keyring
) -> None:
    urls = serving_urls(database_url, keyring)
    owner = await asyncpg.connect(urls.app)
    # A user may change its own settings, for new sessions.
    (name,) = await owner.fetchrow("SELECT format('%I IN DATABASE %I', session_user, current_database())")
    await owner.execute(f"ALTER ROLE {name} SET jit = on")
    logs.take_errors()
    other = Database(urls, system_clock, keyring, size=1)
    try:
        await other.open()
    finally:
        await other.close()
        await owner.execute(f"ALTER ROLE {name} SET jit = off")
        await owner.close()
    error = logs.take_errors()["a user of the database lacks settings"]
    assert str(error.detail["statements"]).endswith(" SET jit = 'off'")
    assert "idle_in_transaction_session_timeout" not in str(error)


async def test_an_installation_is_compared_with_its_server(world: World) -> None:
    async with world.database.unscoped() as unscoped:
        limits = await find_connection_limits(unscoped, 3, 8)
        assert (limits.needed, limits.is_enough) == (26, True)
        assert 0 < limits.allowed < await unscoped.value("SELECT current_setting('max_connections')::int")
        assert not (await find_connection_limits(unscoped, 100, 8)).is_enough


def test_a_process_needs_few_by_default() -> None:
    assert Settings().pool_size <= 8
    assert Settings().pool_size > OTHER_CONNECTIONS
