"""The database: statements and transactions, the pool of connections, migrations, the embedded server."""

from trilha.core.database.connection import (
    Connection,
    Tx,
    Unscoped,
    columns_of,
    structs_of,
)
from trilha.core.database.failures import CLASHED, EXHAUSTED, LOST
from trilha.core.database.snapshots import Snapshot
from trilha.core.database.transactions import Database, Reading

__all__ = [
    "CLASHED",
    "EXHAUSTED",
    "LOST",
    "Connection",
    "Database",
    "Reading",
    "Snapshot",
    "Tx",
    "Unscoped",
    "columns_of",
    "structs_of",
]
