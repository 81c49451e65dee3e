"""Adds up the connections that an installation may open, and compares them with what the server allows."""

from msgspec import Struct

from trilha.core.database.connection import Unscoped

# `trilha migrate` holds its lock on one connection and works on another.
_COMMAND_CONNECTIONS = 2


class ConnectionLimits(Struct, frozen=True):
    """Connections that one installation may open, and those that its database user may have."""

    needed: int
    allowed: int

    @property
    def is_enough(self) -> bool:
        return self.needed <= self.allowed


def count_connections(processes: int, pool_size: int) -> int:
    """Returns how many connections so many serving processes and workers may open, with one command."""
    return processes * pool_size + _COMMAND_CONNECTIONS


async def find_connection_limits(unscoped: Unscoped, processes: int, pool_size: int) -> ConnectionLimits:
    """Compares the needs of all `processes` with the limits of the server, the database and the user.

    Connections that the server reserves for others do not count as allowed. Behind a pooler, its own limits
    matter instead.
    """
    allowed: int = await unscoped.value(
        """
        SELECT least(
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                - current_setting('reserved_connections')::int,
            nullif(d.datconnlimit, -1), nullif(r.rolconnlimit, -1))
        FROM pg_database d, pg_roles r
        WHERE d.datname = current_database() AND r.rolname = session_user
        """
    )
    return ConnectionLimits(count_connections(processes, pool_size), allowed)
