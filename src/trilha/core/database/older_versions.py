"""What migrations need on PostgreSQL 16 and 17, which lack something that PostgreSQL 18 has."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

_UUIDV7_SINCE = 18
_EXPRESSIONS_SINCE = 17
# The time in milliseconds, the version, and random digits with the variant (RFC 9562).
_UUIDV7 = """
    CREATE OR REPLACE FUNCTION uuidv7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
        SELECT (lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
                || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
    $$
"""


async def add_missing_functions(connection: Any) -> None:
    """Creates the functions of PostgreSQL 18 that the schema uses, in an older one."""
    if connection.get_server_version().major < _UUIDV7_SINCE:
        await connection.execute(_UUIDV7)


def read_file(file: Traversable, connection: Any) -> str:
    """Returns the statements of a migration for the version of this server."""
    older = files("trilha.migrations").joinpath("postgresql_16", file.name)
    if connection.get_server_version().major < _EXPRESSIONS_SINCE and older.is_file():
        return older.read_text()
    return file.read_text()
