"""The database: transactions of one tenant, the pool beneath them, migrations, the embedded server."""

from trilha.core.database.connection import Connection, Tx, Unscoped, columns_of, structs_of
from trilha.core.database.transactions import LOST, Database

__all__ = ["LOST", "Connection", "Database", "Tx", "Unscoped", "columns_of", "structs_of"]
