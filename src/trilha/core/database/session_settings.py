"""The settings that serving sessions need, which belong to the database's users.

A pooler that lends a connection for each transaction refuses most settings of the client that connects, or
forgets them. PostgreSQL sets those of a user in a database itself, whoever connects.
"""

from collections.abc import Mapping
from typing import Any

from trilha.core import logs

_FOR_ALL = {
    "idle_in_transaction_session_timeout": "1min",  # as PostgreSQL writes it
    # Starting another process, or compiling, takes longer than most statements.
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}
APP_SETTINGS: Mapping[str, str] = _FOR_ALL
# Writes of the unscoped login, such as counts and times of last use, need not wait for the disk.
UNSCOPED_SETTINGS: Mapping[str, str] = _FOR_ALL | {"synchronous_commit": "off"}


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def write_settings(user: str, database: str, settings: Mapping[str, str]) -> list[str]:
    """Returns the statements that give a user these settings in a database."""
    role, place = quote_name(user), quote_name(database)
    return [
        f"ALTER ROLE {role} IN DATABASE {place} SET {name} = '{value}'" for name, value in settings.items()
    ]


async def warn_of_missing(connection: Any, settings: Mapping[str, str]) -> None:
    """Logs a warning with the statements to run if this session lacks some of the settings, as with users
    that the operator created.
    """
    rows = await connection.fetch(
        """
        SELECT name, session_user::text AS user_name, current_database()::text AS database_name
        FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
        WHERE current_setting(name) <> value
        """,
        list(settings),
        list(settings.values()),
    )
    if not rows:
        return
    user, database = rows[0]["user_name"], rows[0]["database_name"]
    missing = {row["name"]: settings[row["name"]] for row in rows}
    logs.trouble(
        "a user of the database lacks settings",
        user=user,
        statements="; ".join(write_settings(user, database, missing)),
    )
