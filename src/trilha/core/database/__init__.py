"""The database: statements, transactions, connection pools, migrations, and the embedded server."""

from trilha.core.database.connection import (
    Connection,
    Tx,
    Unscoped,
    columns_of,
    structs_of,
)
from trilha.core.database.failures import CONFLICT_ERRORS, CONNECTION_ERRORS, RESOURCE_ERRORS, violates
from trilha.core.database.searches import Search
from trilha.core.database.snapshots import Snapshot
from trilha.core.database.transactions import OTHER_CONNECTIONS, Database, Reading

__all__ = [
    "CONFLICT_ERRORS",
    "CONNECTION_ERRORS",
    "OTHER_CONNECTIONS",
    "RESOURCE_ERRORS",
    "Connection",
    "Database",
    "Reading",
    "Search",
    "Snapshot",
    "Tx",
    "Unscoped",
    "columns_of",
    "structs_of",
    "violates",
]
