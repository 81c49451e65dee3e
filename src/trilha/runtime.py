"""The running database and the keys, from the settings: what every process of Trilha needs first."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.embedded import EmbeddedPostgres, prepare_folder
from trilha.core.secrets import Keyring, load_keyring, parse_keyring
from trilha.settings import SettingError, Settings


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    """The URL of the database. The embedded one runs at least until the block ends."""
    if settings.database_url:
        yield settings.database_url
        return
    with embedded(settings) as postgres:
        yield postgres.url


@contextmanager
def embedded(settings: Settings) -> Iterator[EmbeddedPostgres]:
    postgres = EmbeddedPostgres(prepare_folder(settings.data_dir))
    try:
        # Inside the try: a signal may end this process while the server is starting.
        postgres.start()
        yield postgres
    finally:
        postgres.stop()


def keyring(settings: Settings) -> Keyring:
    """Raises SettingError where the master key cannot be read."""
    try:
        if settings.master_key:
            return parse_keyring(settings.master_key)
        return load_keyring(prepare_folder(settings.data_dir) / "master.key")
    except (ValueError, OSError) as error:
        raise SettingError(f"The master key cannot be read: {error}.") from None


def make_database(settings: Settings, url: str) -> Database:
    return Database(url, system_clock, keyring(settings), size=settings.pool_size)


@asynccontextmanager
async def opened(settings: Settings, url: str) -> AsyncIterator[Database]:
    database = make_database(settings, url)
    await database.open()
    try:
        yield database
    finally:
        await database.close()
