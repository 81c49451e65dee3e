"""Opens the database and the keys from the settings, which every process needs first."""

import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from trilha.core.clock import system_clock
from trilha.core.database import OTHER_CONNECTIONS, Database, logins, master_keys
from trilha.core.database.embedded import EmbeddedPostgres, prepare_folder
from trilha.core.database.logins import ServingUrls
from trilha.core.database.migrate import migrate
from trilha.core.database.migration_files import MigrationTimeouts
from trilha.core.secrets import Keyring, load_keyring, parse_keyring
from trilha.core.variables import SettingError
from trilha.settings import Settings

# the first word of the names of all connections
APPLICATION = "trilha"


@contextmanager
def owner_url(settings: Settings, *, makes_folder: bool = False) -> Iterator[str]:
    """Yields the database's URL as its owner. The embedded server runs at least until the block ends.
    Raises SettingError.
    """
    if settings.database_url:
        yield settings.database_url
    elif settings.database_app_url:
        raise SettingError("This needs the database's owner: set TRILHA_DATABASE_URL too.")
    else:
        with run_embedded(settings, makes_folder=makes_folder) as postgres:
            yield postgres.url


@contextmanager
def serving_urls(settings: Settings) -> Iterator[ServingUrls]:
    """Yields the URLs that serving processes use, while the database is running, like `owner_url`."""
    if given := _read_configured_urls(settings):
        yield given
        return
    with owner_url(settings) as url:
        yield logins_of(settings, url)


def logins_of(settings: Settings, owner_url: str) -> ServingUrls:
    return _read_configured_urls(settings) or logins.serving_urls(owner_url, keyring(settings))


def has_own_logins(settings: Settings) -> bool:
    """Returns whether `trilha migrate` makes the logins of serving processes, and not the operator."""
    return _read_configured_urls(settings) is None


def _read_configured_urls(settings: Settings) -> ServingUrls | None:
    if settings.database_app_url and settings.database_unscoped_url:
        return ServingUrls(settings.database_app_url, settings.database_unscoped_url)
    return None


@contextmanager
def run_embedded(settings: Settings, *, makes_folder: bool = False) -> Iterator[EmbeddedPostgres]:
    postgres = EmbeddedPostgres(data_folder(settings, makes_folder=makes_folder))
    try:
        # Inside the try, because a signal may end this process while the server is starting.
        postgres.start()
        yield postgres
    finally:
        postgres.stop()


def data_folder(settings: Settings, *, makes_folder: bool = False) -> Path:
    """Returns the data folder. Raises SettingError if it is missing and must not be created, EmbeddedError
    if it cannot be used.
    """
    if not makes_folder and not os.path.lexists(settings.data_dir):
        raise SettingError(
            f"There is no data folder {settings.data_dir.absolute()}{_relative(settings)}: set "
            "TRILHA_DATA_DIR to yours, or make one with `trilha up`, `trilha migrate` or `trilha tenant "
            "create`."
        )
    return prepare_folder(settings.data_dir)


def _relative(settings: Settings) -> str:
    """Explains that the folder's path is relative to the current directory."""
    if settings.data_dir.is_absolute():
        return ""
    return f" (`{settings.data_dir}` in the working folder, which TRILHA_DATA_DIR leaves open)"


def keyring(settings: Settings, *, make: bool = False, makes_folder: bool = False) -> Keyring:
    """Loads the keyring. Raises SettingError if the master key cannot be read, or is missing and must not
    be created.
    """
    if settings.master_key:
        return parse_keyring(settings.master_key)
    path = data_folder(settings, makes_folder=makes_folder) / "master.key"
    try:
        return load_keyring(path, make=make)
    except FileNotFoundError:
        raise SettingError(
            f"The master key {path.absolute()} is missing: put back the one that this database was made "
            "with, or set TRILHA_MASTER_KEY to it."
        ) from None
    except (ValueError, OSError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise SettingError(f"The master key cannot be read: {path.absolute()}: {said}.") from None


def read_master_key(settings: Settings) -> str:
    """Returns the master keys as text. Raises SettingError."""
    keyring(settings)
    return settings.master_key or (data_folder(settings) / "master.key").read_text()


async def bring_up_to_date(settings: Settings, owner_url: str, *, makes_folder: bool = False) -> None:
    """Migrates the schema, and creates the logins unless the operator manages them.

    Raises MigrationError, MasterKeyError, LoginError, SettingError.
    """
    # A new key could not open the data of an existing database.
    is_new = await master_keys.is_new(owner_url)
    keys = keyring(settings, make=is_new, makes_folder=makes_folder)
    timeouts = MigrationTimeouts(
        lock=settings.migration_lock_timeout, statement=settings.migration_statement_timeout
    )
    await migrate(owner_url, keys, with_logins=has_own_logins(settings), timeouts=timeouts)


def make_database(settings: Settings, urls: ServingUrls, process: str = "command") -> Database:
    """`process` names this process in the database, beside its master key, number and machine."""
    keys = keyring(settings)
    named = f"{APPLICATION} {process} {keys.current.hex()} {os.getpid()}@{socket.gethostname()}"
    return Database(urls, system_clock, keys, size=settings.pool_size - OTHER_CONNECTIONS, application=named)


@asynccontextmanager
async def open_database(
    settings: Settings, urls: ServingUrls, process: str = "command"
) -> AsyncIterator[Database]:
    database = make_database(settings, urls, process)
    await database.open()
    try:
        yield database
    finally:
        await database.close()
