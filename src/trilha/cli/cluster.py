"""trilha cluster"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
import click
from msgspec import Struct

from trilha import settings
from trilha.cli.output import EXPECTED_ERRORS, CommandError, as_json, explain, in_tenant, show
from trilha.core.database import cluster as nodes
from trilha.core.database import distribution
from trilha.runtime import owner_url

T = TypeVar("T")
# Moving the rows of a large tenant takes long.
_SECONDS = 24 * 3600
_node = click.argument("node", metavar="HOST:PORT")


class BackgroundJob(Struct, frozen=True):
    """A background job of Citus. There is none if nothing needs to move."""

    job_id: int | None


@click.group("cluster")
def cluster() -> None:
    """Distribute the tables over a Citus cluster, and manage its nodes."""


@cluster.command()
@as_json
def distribute(as_json: bool) -> None:
    """Distribute every table that is not distributed yet, each tenant's rows together on one worker.

    Run it once after `trilha migrate`; later migrations distribute their own tables. It locks the tables, so
    stop the servers and workers of a database that has data.
    """
    show(_as_owner(distribution.distribute), as_json)


@cluster.command()
@as_json
def status(as_json: bool) -> None:
    """List the nodes with their tenants, and the moves that are not finished."""

    async def load(owner: Any) -> dict[str, Any]:
        return {"nodes": await nodes.list_nodes(owner), "moves": await nodes.list_moves(owner)}

    found = _as_owner(load)
    if as_json:
        show(found, True)
        return
    show(found["nodes"], False)
    if found["moves"]:
        click.echo("\nMoves:")
        show(found["moves"], False)


@cluster.command("add-node")
@_node
def add_node(node: str) -> None:
    """Add a worker. Its database and the Citus extension must exist. `rebalance` then moves tenants to it."""
    _as_owner(lambda owner: nodes.add_node(owner, *_parse(node)))
    click.echo(f"{node} is a worker now. `trilha cluster rebalance` moves tenants to it.")


@cluster.command()
@as_json
def rebalance(as_json: bool) -> None:
    """Spread the tenants evenly over the workers, in the background."""
    show(BackgroundJob(_as_owner(nodes.start_rebalance)), as_json)


@cluster.command()
@_node
@as_json
def drain(node: str, as_json: bool) -> None:
    """Move all tenants away from a worker, in the background, so that it can be removed."""
    show(BackgroundJob(_as_owner(lambda owner: nodes.start_drain(owner, *_parse(node)))), as_json)


@cluster.command("isolate-tenant")
@in_tenant
def isolate_tenant(tenant: str) -> None:
    """Give a large tenant shards of its own, so that it no longer shares a worker's shard with others."""

    async def isolate(owner: Any) -> None:
        await nodes.isolate_tenant(owner, await _find_tenant(owner, tenant))

    _as_owner(isolate)
    click.echo(f"{tenant} has shards of its own.")


@cluster.command("move-tenant")
@in_tenant
@click.option("--to", "node", required=True, metavar="HOST:PORT", help="The worker to move to.")
def move_tenant(tenant: str, node: str) -> None:
    """Move the shards with a tenant to another worker, while it is used."""

    async def move(owner: Any) -> None:
        await nodes.move_tenant(owner, await _find_tenant(owner, tenant), *_parse(node))

    _as_owner(move)
    click.echo(f"{tenant} is on {node}.")


async def _find_tenant(owner: Any, slug: str) -> Any:
    tenant = await owner.fetchval("SELECT id FROM tenants WHERE slug = $1", slug)
    if tenant is None:
        raise CommandError(f"There is no tenant with the slug {slug}.")
    return tenant


def _parse(node: str) -> tuple[str, int]:
    host, colon, port = node.rpartition(":")
    if not colon or not port.isdigit() or not 0 < int(port) < 65_536:
        raise CommandError(f"{node} is not a node: give its host and port, such as worker1.internal:5432.")
    return host, int(port)


def _as_owner(work: Callable[[Any], Awaitable[T]]) -> T:
    async def connect(url: str) -> T:
        connection = await asyncpg.connect(url, command_timeout=_SECONDS)
        try:
            await distribution.check_extension(connection)
            return await work(connection)
        finally:
            await connection.close()

    try:
        with owner_url(settings.load()) as url:
            return asyncio.run(connect(url))
    except (*EXPECTED_ERRORS, distribution.DistributionError) as error:
        raise CommandError(explain(error)) from None
