"""How the tables are distributed over a cluster."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from click.testing import CliRunner

from conftest import World
from trilha.cli import main
from trilha.core.database import Database
from trilha.core.database.distribution import COORDINATOR_TABLES, REFERENCE_TABLES, is_distributed


@pytest.fixture
async def as_owner(database_url: str, database: Database) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


def kind(table: str, tenanted: set[str]) -> str:
    if table in REFERENCE_TABLES:
        return "reference"
    return "distributed" if table in tenanted - COORDINATOR_TABLES else "coordinator"


async def list_tenant_tables(as_owner: Any) -> set[str]:
    rows = await as_owner.fetch(
        """
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
        """
    )
    return {row["relname"] for row in rows}


async def test_the_named_tables_exist(as_owner: Any) -> None:
    tenanted = await list_tenant_tables(as_owner)
    assert tenanted >= COORDINATOR_TABLES
    assert {*REFERENCE_TABLES} - {"tenants"} <= tenanted


async def test_a_foreign_key_stays_on_one_node(as_owner: Any) -> None:
    """It refers to a table that is distributed alike, or to one with a copy on every node."""
    tenanted = await list_tenant_tables(as_owner)
    keys = await as_owner.fetch(
        """
        SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
        """
    )
    assert len(keys) > 100
    for key in keys:
        target = kind(key["to"], tenanted)
        assert target in ("reference", kind(key["from"], tenanted)), dict(key)


async def test_a_unique_index_has_the_tenant(as_owner: Any) -> None:
    """Another one could not be checked on a worker."""
    tenanted = await list_tenant_tables(as_owner)
    rows = await as_owner.fetch(
        """
        SELECT i.indrelid::regclass::text AS table, i.indexrelid::regclass::text AS index FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = current_schema()::regnamespace
        WHERE i.indisunique AND NOT EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = 'tenant_id'
              AND a.attnum = ANY (i.indkey))
        """
    )
    assert [dict(row) for row in rows if kind(row["table"], tenanted) == "distributed"] == []


async def test_no_trigger_reads_the_rows_of_its_statement(as_owner: Any) -> None:
    """A worker that runs the trigger cannot read them."""
    rows = await as_owner.fetch(
        "SELECT tgname FROM pg_trigger WHERE tgoldtable IS NOT NULL OR tgnewtable IS NOT NULL"
    )
    assert rows == []


async def test_commands_need_a_cluster(as_owner: Any, database_url: str, tmp_path: Any) -> None:
    if await is_distributed(as_owner):
        pytest.skip("This server is a cluster.")
    environment = {"TRILHA_DATABASE_URL": database_url, "TRILHA_DATA_DIR": str(tmp_path)}
    for command in (
        *(("distribute",), ("status",), ("rebalance",)),
        *(("add-node", "worker1:5432"), ("drain", "worker1:5432")),
        *(
            ("isolate-tenant", "--tenant", "acme"),
            ("move-tenant", "--tenant", "acme", "--to", "worker1:5432"),
        ),
    ):
        done = await run(environment, *command)
        assert done.exit_code == 1
        assert done.stderr == (
            "trilha: This database has no Citus: run CREATE EXTENSION citus in it on every node, as a "
            "superuser.\n"
        )


async def test_a_tenant_moves_and_stays_whole(
    as_owner: Any, database_url: str, tmp_path: Any, world: World
) -> None:
    if not await is_distributed(as_owner):
        pytest.skip("TRILHA_TEST_DATABASE_URL does not name the coordinator of a Citus cluster.")
    environment = {"TRILHA_DATABASE_URL": database_url, "TRILHA_DATA_DIR": str(tmp_path)}
    user = await world.user()
    find = """
        SELECT nodename || ':' || nodeport FROM citus_shards
        WHERE shardid = get_shard_id_for_distribution_column('users', $1)
        """
    before = await as_owner.fetchval(find, world.tenant.id)
    workers = await as_owner.fetch(
        "SELECT node_name || ':' || node_port FROM citus_get_active_worker_nodes()"
    )
    other = next(row[0] for row in workers if row[0] != before)
    done = await run(environment, "move-tenant", "--tenant", world.tenant.slug, "--to", other)
    assert done.exit_code == 0, done.output
    assert await as_owner.fetchval(find, world.tenant.id) == other
    assert (await world.http.get(f"/v1/users/{user['id']}")).json()["data"] == user


async def run(environment: dict[str, str], *arguments: str) -> Any:
    return await asyncio.to_thread(CliRunner().invoke, main, ["cluster", *arguments], env=environment)
