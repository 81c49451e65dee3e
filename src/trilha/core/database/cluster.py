"""The nodes of a Citus cluster, by Citus's own functions. The caller is the database's owner, or a superuser
where Citus requires one.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

_HOME = "tenant_homes"


class Node(Struct, frozen=True):
    """A node. `role` is coordinator or worker; `tenants` live on it, and `size_bytes` is that of their rows.

    A worker that takes no shards is empty, or is being emptied.
    """

    host: str
    port: int
    role: str
    is_active: bool
    takes_shards: bool
    is_reachable: bool
    tenants: int
    size_bytes: int


class Move(Struct, frozen=True):
    """A move of shards that Citus makes in the background."""

    job_id: int
    state: str
    description: str


async def list_nodes(owner: Any) -> list[Node]:
    """Lists the nodes with the tenants on each. A worker that is down is listed as not reachable."""
    rows = await owner.fetch(
        """
        SELECT node.nodename AS host, node.nodeport AS port,
               CASE WHEN node.groupid = 0 THEN 'coordinator' ELSE 'worker' END AS role,
               node.isactive AS is_active, node.shouldhaveshards AS takes_shards,
               (SELECT bool_and(result) FROM citus_check_cluster_node_health() health
                WHERE health.to_nodename = node.nodename AND health.to_nodeport = node.nodeport
                  AND health.from_nodeport IN (SELECT nodeport FROM pg_dist_node WHERE groupid = 0))
                   IS TRUE AS is_reachable,
               (SELECT count(*) FROM tenants
                JOIN pg_dist_placement placement
                  ON placement.shardid = get_shard_id_for_distribution_column($1, tenants.id)
                WHERE placement.groupid = node.groupid) AS tenants,
               (SELECT COALESCE(sum(shard.shard_size), 0) FROM citus_shards shard
                WHERE shard.nodename = node.nodename AND shard.nodeport = node.nodeport)::bigint AS size_bytes
        FROM pg_dist_node node ORDER BY node.groupid, node.nodename, node.nodeport
        """,
        _HOME,
    )
    return [Node(**dict(row)) for row in rows]


async def add_node(owner: Any, host: str, port: int) -> None:
    """Adds a worker, and copies the reference tables to it. `rebalance` then moves tenants to it."""
    await owner.execute("SELECT citus_add_node($1, $2)", host, port)
    await owner.execute("SELECT replicate_reference_tables('block_writes')")


async def start_rebalance(owner: Any) -> int | None:
    """Spreads the tenants evenly over the workers, in the background. Returns the job, or None."""
    job: int | None = await owner.fetchval("SELECT citus_rebalance_start()")
    return job


async def start_drain(owner: Any, host: str, port: int) -> int | None:
    """Moves everything away from a worker, in the background, so that it can be removed."""
    await owner.execute("SELECT citus_set_node_property($1, $2, 'shouldhaveshards', false)", host, port)
    job: int | None = await owner.fetchval("SELECT citus_rebalance_start(drain_only => true)")
    return job


async def isolate_tenant(owner: Any, tenant_id: UUID) -> None:
    """Gives a large tenant shards of its own, which can be moved to a worker of its own."""
    await owner.execute(
        "SELECT isolate_tenant_to_new_shard($1::regclass, $2, 'CASCADE', 'auto')", _HOME, str(tenant_id)
    )


async def move_tenant(owner: Any, tenant_id: UUID, host: str, port: int) -> None:
    """Moves the shards with this tenant to another worker. Reads and writes go on meanwhile."""
    await owner.execute(
        """
        SELECT citus_move_shard_placement(shard.shardid, shard.nodename, shard.nodeport, $2, $3, 'auto')
        FROM citus_shards shard
        WHERE shard.shardid = get_shard_id_for_distribution_column($1, $4)
          AND (shard.nodename, shard.nodeport) IS DISTINCT FROM ($2, $3)
        """,
        _HOME,
        host,
        port,
        tenant_id,
    )


async def list_moves(owner: Any) -> Sequence[Move]:
    """Lists the background jobs that are not finished."""
    rows = await owner.fetch(
        """
        SELECT job_id, state::text AS state, description FROM pg_dist_background_job
        WHERE state NOT IN ('finished', 'cancelled') ORDER BY job_id
        """
    )
    return [Move(**dict(row)) for row in rows]
