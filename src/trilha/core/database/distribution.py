"""Distributes the tables over a Citus cluster: each tenant's rows live together on one worker.

`tenants` and their settings are reference tables, with a copy on every node. Credentials stay on the
coordinator, which every request passes anyway: so they can be read and written while a worker is down.
"""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Struct

# In the order in which they can be distributed.
REFERENCE_TABLES = ("tenants", "tenant_settings")
# Tables with a tenant_id that stay on the coordinator. Those without one stay there in any case.
COORDINATOR_TABLES = frozenset(
    {
        "api_keys",
        "api_key_secrets",
        "oauth_clients",
        "oauth_client_secrets",
        "scim_tokens",
        "scim_token_secrets",
        "xapi_keys",
    }
)


class DistributionError(RuntimeError):
    """The cluster cannot take the tables. The message is one sentence."""


class Distribution(Struct, frozen=True):
    """What a run did: the tables that it distributed."""

    tables: list[str]


async def is_distributed(owner: Any) -> bool:
    """Returns whether the tables of this database are distributed."""
    if not await _has_citus(owner):
        return False
    found: bool = await owner.fetchval(
        "SELECT EXISTS (SELECT FROM citus_tables WHERE table_name = to_regclass($1))", REFERENCE_TABLES[0]
    )
    return found


async def distribute(owner: Any) -> Distribution:
    """Distributes every table that is not distributed yet. May be repeated. Raises DistributionError."""
    await _check_cluster(owner)
    async with owner.transaction():
        # A foreign key to the reference table and one to a distributed table need this.
        await owner.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
        tables = await _list_pending(owner)
        if not tables:
            return Distribution([])
        async with _without_foreign_keys(owner, tables):
            for table in REFERENCE_TABLES:
                if table in tables:
                    await owner.execute("SELECT create_reference_table($1::regclass)", table)
            first = await _find_distributed(owner)
            for table in sorted(set(tables) - set(REFERENCE_TABLES)):
                await owner.execute(
                    "SELECT create_distributed_table($1::regclass, 'tenant_id', colocate_with => $2)",
                    table,
                    first or "default",
                )
                first = first or table
            await _distribute_functions(owner)
    return Distribution(sorted(tables))


async def _has_citus(owner: Any) -> bool:
    found: bool = await owner.fetchval("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')")
    return found


async def check_extension(owner: Any) -> None:
    """Raises DistributionError if this database has no Citus."""
    if not await _has_citus(owner):
        raise DistributionError(
            "This database has no Citus: run CREATE EXTENSION citus in it on every node, as a superuser."
        )


async def _check_cluster(owner: Any) -> None:
    await check_extension(owner)
    workers: int = await owner.fetchval("SELECT count(*) FROM citus_get_active_worker_nodes()")
    if not workers:
        raise DistributionError("The cluster has no worker; add one with `trilha cluster add-node`.")
    is_coordinator: bool = await owner.fetchval("SELECT citus_is_coordinator()")
    if not is_coordinator:
        raise DistributionError("TRILHA_DATABASE_URL names a worker; use the coordinator's address.")


async def _list_pending(owner: Any) -> list[str]:
    """Lists the tables that are to be distributed and are not."""
    rows = await owner.fetch(
        """
        SELECT c.relname::text AS name FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
          AND (c.relname = ANY ($1::text[]) OR c.relname <> ALL ($2::text[]) AND EXISTS (
               SELECT FROM pg_attribute a
               WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped))
          AND NOT EXISTS (SELECT FROM citus_tables t
                          WHERE t.table_name = c.oid AND t.citus_table_type IN ('distributed', 'reference'))
        ORDER BY 1
        """,
        list(REFERENCE_TABLES),
        list(COORDINATOR_TABLES),
    )
    return [row["name"] for row in rows]


async def _find_distributed(owner: Any) -> str | None:
    name: str | None = await owner.fetchval(
        """
        SELECT table_name::text FROM citus_tables WHERE citus_table_type = 'distributed'
        ORDER BY table_name::text LIMIT 1
        """
    )
    return name


@asynccontextmanager
async def _without_foreign_keys(owner: Any, tables: Collection[str]) -> AsyncIterator[None]:
    """Drops the foreign keys of these tables, and creates them again: Citus would otherwise turn the tables
    that they refer to into local ones.
    """
    keys = await owner.fetch(
        """
        SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name,
               pg_get_constraintdef(oid) AS definition
        FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
          AND (conrelid = ANY ($1::text[]::regclass[]) OR confrelid = ANY ($1::text[]::regclass[]))
        ORDER BY 1, 2
        """,
        list(tables),
    )
    for key in keys:
        await owner.execute(f"ALTER TABLE {key['table']} DROP CONSTRAINT {key['name']}")
    yield
    for key in keys:
        await owner.execute(f"ALTER TABLE {key['table']} ADD CONSTRAINT {key['name']} {key['definition']}")


async def _distribute_functions(owner: Any) -> None:
    """Copies the functions to all nodes, whose triggers and statements call them."""
    for row in await owner.fetch(
        """
        SELECT p.oid::regprocedure::text AS name FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prorettype <> 'trigger'::regtype
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
        """
    ):
        await owner.execute("SELECT create_distributed_function($1::regprocedure)", row["name"])
