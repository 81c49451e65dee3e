"""The running database and the keys, from the settings: what every process of Trilha needs first."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from trilha.core.clock import system_clock
from trilha.core.database import Database, logins
from trilha.core.database.embedded import EmbeddedPostgres, prepare_folder
from trilha.core.database.logins import ServingUrls
from trilha.core.database.migrate import migrate
from trilha.core.secrets import Keyring, load_keyring, parse_keyring
from trilha.core.variables import SettingError
from trilha.settings import Settings


@contextmanager
def owner_url(settings: Settings) -> Iterator[str]:
    """The database as its owner. The embedded one runs at least until the block ends. Raises SettingError."""
    if settings.database_url:
        yield settings.database_url
    elif settings.database_app_url:
        raise SettingError("This needs the database's owner: set TRILHA_DATABASE_URL too.")
    else:
        with embedded(settings) as postgres:
            yield postgres.url


@contextmanager
def serving_urls(settings: Settings) -> Iterator[ServingUrls]:
    """The database as serving processes log in to it, and running, as with `owner_url`."""
    if given := _given(settings):
        yield given
        return
    with owner_url(settings) as url:
        yield logins_of(settings, url)


def logins_of(settings: Settings, owner_url: str) -> ServingUrls:
    return _given(settings) or logins.serving_urls(owner_url, keyring(settings))


def _given(settings: Settings) -> ServingUrls | None:
    if settings.database_app_url and settings.database_unscoped_url:
        return ServingUrls(settings.database_app_url, settings.database_unscoped_url)
    return None


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


async def bring_up_to_date(settings: Settings, owner_url: str) -> None:
    """The schema, and the logins unless they are the operator's own. Raises MigrationError, LoginError."""
    await migrate(owner_url, None if _given(settings) else keyring(settings))


def make_database(settings: Settings, urls: ServingUrls) -> Database:
    return Database(urls, system_clock, keyring(settings), size=settings.pool_size)


@asynccontextmanager
async def opened(settings: Settings, urls: ServingUrls) -> AsyncIterator[Database]:
    database = make_database(settings, urls)
    await database.open()
    try:
        yield database
    finally:
        await database.close()
