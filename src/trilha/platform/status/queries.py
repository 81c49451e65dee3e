"""SQL of the status, under the second role. It reads no tenant's rows and no personal data."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from trilha.core import logs
from trilha.core.database import Unscoped
from trilha.core.types import to_json
from trilha.platform.status.schema import Backlog, DatabaseServer, LastBackup, LastError, Process

# Counting stops here: a larger queue is too long in any case.
MAX_COUNTED = 100_000
_MAX_ERRORS = 20

# Queries for waiting work and the time since which it is due, or null if it is not due yet.
_WORK = {
    "webhooks": ("webhook_deliveries", "status = 'PENDING'", "next_attempt_at"),
    "events to send on": ("events", "NOT relayed", "created_at"),
    "e-mail": ("mail_messages", "status = 'PENDING'", "next_attempt_at"),
    "enrollments to expire": (
        "all_enrollments",
        "status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at <= :now AND cancelled_at IS NULL",
        "expires_at",
    ),
    "people to import": ("imports", "has_file", "created_at"),
    "packages to read": ("packages", "archive IS NOT NULL", "created_at"),
    "certificates to draw": (
        "certificates",
        "file_key IS NULL AND render_due_at IS NOT NULL",
        "render_due_at",
    ),
    "learning paths to roll out": ("learning_path_rollouts", "finished_at IS NULL", "created_at"),
}


async def list_processes(unscoped: Unscoped) -> list[Process]:
    """Lists the processes that are connected as this database user. Each has at least one connection."""
    return await unscoped.list(
        Process,
        """
        SELECT split_part(application_name, ' ', 2) AS kind, split_part(application_name, ' ', 4) AS process,
               min(backend_start) AS started_at, count(*)::int AS connections
        FROM pg_stat_activity
        WHERE datname = current_database() AND split_part(application_name, ' ', 2) IN ('serve', 'work')
        GROUP BY 1, 2 ORDER BY 1, 3
        """,
    )


async def list_backlog(unscoped: Unscoped) -> list[Backlog]:
    return [await _backlog(unscoped, work, *where) for work, where in _WORK.items()]


async def _backlog(unscoped: Unscoped, work: str, table: str, waits: str, since: str) -> Backlog:
    (backlogs,) = await unscoped.list(
        Backlog,
        f"""
        SELECT :work::text AS work, count(*)::int AS waiting,
               min(since) FILTER (WHERE since <= :now) AS oldest_due
        FROM (SELECT {since} AS since FROM {table} WHERE {waits} LIMIT {MAX_COUNTED}) AS waiting
        """,  # noqa: S608
        work=work,
    )
    return backlogs


async def list_errors(unscoped: Unscoped) -> list[LastError]:
    """Lists the last errors, newest first."""
    return await unscoped.list(
        LastError,
        "SELECT message, at, count, process, detail FROM last_errors ORDER BY at DESC, message LIMIT :limit",
        limit=_MAX_ERRORS,
    )


async def find_last_backup(unscoped: Unscoped) -> LastBackup | None:
    return await unscoped.find(
        LastBackup,
        """
        SELECT id, started_at, finished_at, outcome, stored_bytes, error, verified_at,
               (SELECT max(finished_at) FROM backup_runs WHERE outcome = 'DONE') AS done_at
        FROM backup_runs ORDER BY started_at DESC LIMIT 1
        """,
    )


async def keep_errors(unscoped: Unscoped, process: str, errors: Mapping[str, logs.LastError]) -> None:
    def each(member: str) -> Sequence[Any]:
        return [getattr(error, member) for error in errors.values()]

    await unscoped.execute(
        """
        INSERT INTO last_errors (message, at, process, detail, count)
        SELECT message, at, :process, detail::jsonb, count
        FROM unnest(:messages::text[], :ats::timestamptz[], :details::text[], :counts::bigint[])
             AS new (message, at, detail, count)
        ORDER BY message
        ON CONFLICT (message) DO UPDATE
        SET at = excluded.at, process = excluded.process, detail = excluded.detail,
            count = last_errors.count + excluded.count
        """,
        process=process,
        messages=list(errors),
        ats=[datetime.fromtimestamp(at, UTC) for at in each("at")],
        details=[to_json(detail).decode() for detail in each("detail")],
        counts=each("count"),
    )


async def describe_server(unscoped: Unscoped) -> DatabaseServer:
    (server,) = await unscoped.list(
        DatabaseServer,
        """
        SELECT current_setting('server_version_num')::int / 10000 AS version,
               pg_encoding_to_char(d.encoding) AS encoding,
               d.datcollversion IS NOT DISTINCT FROM pg_database_collation_actual_version(d.oid)
                   AS is_collation_current,
               ARRAY(SELECT name FROM unnest(ARRAY['fsync', 'full_page_writes']) AS name
                     WHERE current_setting(name) = 'off') AS unsafe_settings,
               COALESCE(host(inet_client_addr()) NOT IN ('127.0.0.1', '::1')
                        AND NOT (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)
                   AS is_unencrypted,
               clock_timestamp() AS now
        FROM pg_database d WHERE d.datname = current_database()
        """,
    )
    return server
