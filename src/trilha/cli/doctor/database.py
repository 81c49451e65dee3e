"""Checks of the database: it answers, the schema and the keys fit, and the server is set up safely."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

from trilha.cli.doctor.findings import Finding, fail, ok, skip, warn
from trilha.cli.output import EXPECTED_ERRORS, CommandError, explain
from trilha.cli.server import check_schema
from trilha.core.database import Database
from trilha.core.database.connection_limits import find_connection_limits
from trilha.core.database.embedded import EmbeddedError
from trilha.core.database.logins import LoginError, ServingUrls
from trilha.core.database.master_keys import MasterKeyError
from trilha.core.variables import SettingError
from trilha.platform.status import queries
from trilha.platform.status.schema import DatabaseServer
from trilha.runtime import keyring, open_database, serving_urls
from trilha.serving import count_processes
from trilha.settings import Settings

_OLDEST_VERSION = 16
_DRIFT = timedelta(seconds=2)
_OLDEST_BACKUP = timedelta(days=2)


async def check_database(current: Settings) -> AsyncIterator[Finding]:
    name = "database"
    try:
        _ = keyring(current)
    except (SettingError, EmbeddedError):
        yield skip(name, "It cannot be opened without the data folder and the master key.")
        return
    try:
        with serving_urls(current) as urls:
            async for finding in _check(current, urls):
                yield finding
    except LoginError as error:
        yield fail(name, str(error), "Run `trilha migrate` as the database's owner.")
    except MasterKeyError as error:
        yield fail("master key", str(error), "Put back the key that this database was made with.")
    except CommandError as error:
        yield fail("schema", error.message, "Run `trilha migrate`.")
    except EXPECTED_ERRORS as error:
        yield fail(
            name,
            explain(error),
            "Check TRILHA_DATABASE_URL, that the server runs, and that it lets this machine connect.",
        )


async def _check(current: Settings, urls: ServingUrls) -> AsyncIterator[Finding]:
    async with open_database(current, urls, "doctor") as database:
        async with database.unscoped() as unscoped:
            server = await queries.describe_server(unscoped)
        for finding in (*_check_server(current, server), check_clock(server, datetime.now(UTC))):
            yield finding
        await check_schema(database)
        yield ok("schema", "It is up to date, and the master key opens it.")
        yield await _check_worker(database)
        yield await _check_connections(current, database)
        yield await _check_backup(current, database)


def _check_server(current: Settings, server: DatabaseServer) -> list[Finding]:
    name = "database"
    findings = []
    if server.version < _OLDEST_VERSION:
        findings.append(
            fail(name, f"It is PostgreSQL {server.version}.", f"Use PostgreSQL {_OLDEST_VERSION} or newer.")
        )
    if server.encoding != "UTF8":
        findings.append(
            fail(
                name,
                f"Its encoding is {server.encoding}, which cannot store every name.",
                "Create a database with ENCODING 'UTF8' and move the data.",
            )
        )
    if not server.is_collation_current:
        findings.append(
            warn(
                name,
                "The operating system sorts text differently than when the indexes were built.",
                "REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION.",
            )
        )
    if current.env == "production" and server.unsafe_settings:
        unsafe = ", ".join(server.unsafe_settings)
        findings.append(
            fail(name, f"A crash can lose or damage data: {unsafe} is off.", f"Turn {unsafe} on.")
        )
    if server.is_unencrypted:
        findings.append(
            warn(
                name,
                "The connection to another machine is not encrypted.",
                "Add sslmode=verify-full and sslrootcert to TRILHA_DATABASE_URL.",
            )
        )
    return findings or [ok(name, f"PostgreSQL {server.version} answers.")]


def check_clock(server: DatabaseServer, now: datetime) -> Finding:
    drift = abs(datetime.fromisoformat(server.now) - now)
    if drift > _DRIFT:
        return fail(
            "clock",
            f"This machine and the database differ by {drift.total_seconds():.0f} seconds.",
            "Run a time service such as chrony on both; sign-in, tokens and signatures depend on it.",
        )
    return ok("clock", "This machine and the database agree.")


async def _check_connections(current: Settings, database: Database) -> Finding:
    """Adds up what the running processes may open, and at least one server and one worker of this machine."""
    name = "connections"
    async with database.unscoped() as unscoped:
        running = len(await queries.list_processes(unscoped))
        processes = max(running, count_processes(current) + 1)
        limits = await find_connection_limits(unscoped, processes, current.pool_size)
    message = (
        f"{processes} processes may open {limits.needed} connections; the database allows {limits.allowed}."
    )
    if limits.is_enough:
        return ok(name, message)
    return fail(
        name,
        message,
        "Raise max_connections, lower TRILHA_POOL_SIZE or TRILHA_WORKERS, or put PgBouncer in between.",
    )


async def _check_backup(current: Settings, database: Database) -> Finding:
    name = "backup"
    async with database.unscoped() as unscoped:
        last = await queries.find_last_backup(unscoped)
    cure = "Run `trilha backup` every day, and look at what it prints."
    if last is None or last.done_at is None:
        if current.env == "development" or current.backup_url is None:
            return skip(name, "`trilha backup` has not made one; this is no problem if another program does.")
        return fail(name, "TRILHA_BACKUP_URL is set, and no backup was ever finished.", cure)
    age = datetime.now(UTC) - datetime.fromisoformat(last.done_at)
    message = f"The last one was finished {age.days} days ago."
    if age > _OLDEST_BACKUP:
        return warn(name, message, cure)
    return ok(name, message)


async def _check_worker(database: Database) -> Finding:
    async with database.unscoped() as unscoped:
        kinds = {process.kind for process in await queries.list_processes(unscoped)}
    if not kinds:
        return skip("worker", "Neither `trilha serve` nor `trilha work` is running.")
    if "work" not in kinds:
        return fail(
            "worker",
            "No worker is running: no webhook, e-mail or certificate leaves.",
            "Start `trilha work`.",
        )
    return ok("worker", "A worker is running.")
