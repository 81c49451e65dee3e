"""The tables with tenants' rows, as the database's catalog lists them."""

from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any

from msgspec import Struct

from trilha.core.database import Connection
from trilha.core.database.logins import APP_ROLE

# These tables store hashes of entries in the log. No foreign key says so.
_LOG, _TABLES_WITH_HASHES = "learning_log", ("learning_heads", "certificates")


class TenantTable(Struct, frozen=True):
    """A table with a tenant_id.

    `columns` are those that are stored, not computed. `may_delete` says whether the serving role deletes
    rows, and `refers_to_itself` whether rows refer to rows of the same table.
    """

    name: str
    columns: list[str]
    may_delete: bool
    refers_to_itself: bool


async def list_tenant_tables(connection: Connection) -> list[TenantTable]:
    """Lists the tables, each before those that it refers to, so that rows can be deleted in this order."""
    rows = await connection.rows(
        """
        SELECT c.relname::text AS name,
               (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
                WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
               has_table_privilege(:role, c.oid, 'DELETE') AS may_delete,
               EXISTS (SELECT FROM pg_constraint
                       WHERE contype = 'f' AND conrelid = c.oid AND confrelid = c.oid) AS refers_to_itself
        FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND EXISTS (
              SELECT FROM pg_attribute a
              WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
        ORDER BY 1
        """,
        role=APP_ROLE,
    )
    tables = {row["name"]: TenantTable(*row.values()) for row in rows}
    return [tables[name] for name in _sort(tables, await _list_references(connection))]


async def _list_references(connection: Connection) -> Sequence[Any]:
    return await connection.rows(
        """
        SELECT DISTINCT conrelid::regclass::text AS name, confrelid::regclass::text AS target
        FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conrelid <> confrelid
        """
    )


def _sort(tables: Mapping[str, TenantTable], references: Sequence[Any]) -> list[str]:
    """Returns the names, those of referring tables first."""
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(tables, ()))
    for row in references:
        if row["target"] in tables:
            sorter.add(row["target"], row["name"])
    sorter.add(_LOG, *_TABLES_WITH_HASHES)
    return list(sorter.static_order())
