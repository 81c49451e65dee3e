"""Prints results: a table for people, JSON for programs, and one sentence for an error."""

import asyncio
import getpass
import json
import shutil
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import click
import msgspec

from trilha import settings
from trilha.core.credentials import Actor, CredentialRefused
from trilha.core.database import Database, Tx
from trilha.core.database.embedded import EmbeddedError
from trilha.core.database.logins import LoginError
from trilha.core.database.master_keys import MasterKeyError
from trilha.core.database.migration_files import MigrationError
from trilha.core.database.poolers import MIXED_UP_ERRORS, PoolerError
from trilha.core.errors import ApiError
from trilha.core.types import enc_hook
from trilha.core.variables import SettingError
from trilha.platform.tenants import unscoped as tenants
from trilha.platform.tenants.operator import Operator, TenantError, operator
from trilha.runtime import bring_up_to_date, logins_of, open_database, owner_url
from trilha.settings import Settings

T = TypeVar("T")

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
in_tenant = click.option("--tenant", required=True, metavar="SLUG", help="The tenant's slug.")

# Errors that the operator can fix. Any other error is a bug and shows its traceback.
EXPECTED_ERRORS = (
    *(SettingError, EmbeddedError, MigrationError, MasterKeyError, LoginError, PoolerError),
    *(TenantError, CredentialRefused, ApiError),
    # InterfaceError: the driver could not parse the database URL or a value.
    *(asyncpg.PostgresError, asyncpg.InterfaceError, OSError, UnicodeError),
)


class CommandError(click.ClickException):
    """Ends a command with one sentence on standard error and exit code 1."""

    def show(self, file: Any = None) -> None:
        # Always one line, without control characters for the terminal, whatever the message quotes.
        said = "".join(each if each.isprintable() else "\ufffd" for each in self.message)
        click.echo(f"trilha: {said}", err=True, file=file)


def explain(error: Exception) -> str:
    """Describes the error in one sentence for the operator."""
    if isinstance(error, ApiError):
        problems = error.detail if isinstance(error.detail, list) else []
        if problems:
            return "; ".join(f"{each.field}: {each.message}" for each in problems)
        told = error.detail if isinstance(error.detail, dict) else {}
        if meaning := told.get("meaning"):
            return (
                f"{meaning} Expected: {told.get('expected') or '-'}; received: {told.get('received') or '-'}."
            )
        return error.message
    if isinstance(error, MIXED_UP_ERRORS):
        return str(PoolerError())
    if isinstance(error, UnicodeEncodeError):
        return "That is not text in UTF-8."
    if isinstance(error, (asyncpg.PostgresError, asyncpg.InterfaceError)):
        return f"The database refused: {' '.join(str(error).split())}."
    if isinstance(error, (ConnectionError, UnicodeError, socket.gaierror, TimeoutError)):
        # An error for several addresses has a line for each, and a time-out has no text.
        said = (error.strerror if isinstance(error, socket.gaierror) else str(error)) or "no answer in time"
        return f"The database cannot be reached ({said})."
    return str(error)


def show(value: Any, json_wanted: bool) -> None:
    """Prints a Struct, a mapping, or a list of either."""
    plain = msgspec.to_builtins(value, enc_hook=enc_hook)
    if json_wanted:
        click.echo(json.dumps(plain, ensure_ascii=False, indent=2))
    elif isinstance(plain, list):
        _table(plain)
    else:
        _block(plain)


def _table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints columns as wide as their content if the terminal has room, else a block for each row."""
    if not rows:
        click.echo("None.")
        return
    # Imported here because serving processes and JSON output do not need it.
    from rich.cells import cell_len, set_cell_size

    lines = [list(rows[0]), *([_text(value) for value in row.values()] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    # Pipes and files have no width limit.
    if sys.stdout.isatty() and sum(widths) + 2 * len(widths) - 2 > shutil.get_terminal_size().columns:
        for number, row in enumerate(rows):
            click.echo("" if number else None, nl=bool(number))
            _block(row)
        return
    for line in lines:
        click.echo("  ".join(set_cell_size(*pair) for pair in zip(line, widths, strict=True)).rstrip())


def _block(row: Mapping[str, Any]) -> None:
    width = max(22, *(len(name) + 2 for name in row))
    for name, value in row.items():
        click.echo(f"{name:<{width}}{_text(value)}".rstrip())


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, dict):  # as the log writes it where it is not JSON
        return " ".join(f"{name}={_text(each)}" for name, each in value.items())
    return "" if value is None else str(value)


def run(work: Callable[[Settings, str], Awaitable[T]], *, makes_folder: bool = False) -> T:
    """Runs work on the migrated database, whether or not a server is running."""
    try:
        current = settings.load()
        with owner_url(current, makes_folder=makes_folder) as url:

            async def migrate_and_run() -> T:
                await bring_up_to_date(current, url, makes_folder=makes_folder)
                return await work(current, url)

            return asyncio.run(migrate_and_run())
    except EXPECTED_ERRORS as error:
        raise CommandError(explain(error)) from None


def as_operator(work: Callable[[Operator], Awaitable[T]], *, makes_folder: bool = False) -> T:
    """Runs work in one transaction as the database's owner."""

    async def with_operator(current: Settings, url: str) -> T:
        from trilha.core.clock import system_clock

        async with operator(url, system_clock, local_operator()) as each:
            return await work(each)

    return run(with_operator, makes_folder=makes_folder)


def in_transaction(slug: str, work: Callable[[Settings, Tx], Awaitable[T]]) -> T:
    """Runs work in one transaction of the tenant with this slug."""

    async def with_tx(current: Settings, url: str) -> T:
        async with (
            open_database(current, logins_of(current, url)) as database,
            database.transaction(await tenant_id(database, slug), actor=local_operator()) as tx,
        ):
            return await work(current, tx)

    return run(with_tx)


def local_operator() -> Actor:
    """The person who runs this command on this machine, for the audit log."""
    return Actor("operator", getpass.getuser(), socket.gethostname())


async def tenant_id(database: Database, slug: str) -> UUID:
    """Raises TenantError if there is no such tenant."""
    async with database.unscoped() as unscoped:
        tenant = await tenants.find_by_slug(unscoped, slug)
    if tenant is None:
        raise TenantError(f"There is no tenant with the slug {slug}.")
    if tenant.status == "DELETING":
        raise TenantError(f"{slug} is being deleted.")
    return tenant.id


class Duration(click.ParamType[timedelta]):
    """A duration such as `90d`, `24h`, `30m` or `45s`."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        units = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
        number, unit = value[:-1], value[-1:]
        if not (number.isascii() and number.isdigit()) or unit not in units or len(number) > 6:
            self.fail("give a number and d, h, m or s: 90d, 24h", param, ctx)
        return timedelta(**{units[unit]: int(number)})
