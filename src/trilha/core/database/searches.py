"""Searches for work across tenants.

On a cluster a search runs once for each worker, with the tenants that live there, so that a worker that is
down stops only the work of its own tenants.
"""

import time
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core import logs
from trilha.core.database.connection import Unscoped
from trilha.core.database.failures import CONNECTION_ERRORS

# How many tenants one search of `:tenants` looks at, on a single server and on a cluster. If there are more,
# it looks at others the next time.
MAX_TENANTS, MAX_CLUSTER_TENANTS = 50, 2000
# How long the workers of tenants are remembered, in seconds. A tenant that moves is only searched less well.
_PLACEMENT_SECONDS = 60.0

# From `tenants`, which on a cluster can be read while a worker is down.
_TENANTS = """
    (SELECT id FROM tenants WHERE id >= :start ORDER BY id LIMIT :limit)
    UNION ALL
    (SELECT id FROM tenants WHERE id < :start ORDER BY id LIMIT :limit)
    LIMIT :limit
"""
_PLACEMENTS = """
    SELECT tenant.id, (SELECT min(placement.groupid) FROM pg_dist_placement placement
                       WHERE placement.shardid =
                             get_shard_id_for_distribution_column('tenant_homes', tenant.id)) AS worker
    FROM unnest(:tenants::uuid[]) AS tenant (id)
"""


class Search(Struct, frozen=True):
    """The SQL of a search: `everywhere` runs on a single server, and `among` on a cluster, where it restricts
    itself to `:tenants`. Both may use `:start`, a tenant to begin at, and `:now`.
    """

    everywhere: str
    among: str


class Searcher:
    """Runs searches on the server or cluster of one database."""

    def __init__(self) -> None:
        self._is_cluster: bool | None = None
        self._workers: dict[UUID, int] = {}
        self._read_at = 0.0
        self._unreachable = 0

    async def run(self, unscoped: Unscoped, search: Search, start: UUID, params: dict[str, Any]) -> list[Any]:
        """Returns the rows of the search. A worker that cannot be reached is passed over, unless none can."""
        if self._is_cluster is None:
            self._is_cluster = await unscoped.value("SELECT to_regclass('pg_dist_partition') IS NOT NULL")
        if self._is_cluster:
            return await self._search_workers(unscoped, search.among, start, params)
        if ":tenants" in search.everywhere:
            rows = await unscoped.rows(_TENANTS, start=start, limit=MAX_TENANTS)
            params["tenants"] = [row["id"] for row in rows]
        return list(await unscoped.rows(search.everywhere, start=start, **params))

    async def _search_workers(
        self, unscoped: Unscoped, sql: str, start: UUID, params: dict[str, Any]
    ) -> list[Any]:
        found: list[Any] = []
        failures: list[BaseException] = []
        groups = await self._divide(unscoped, start)
        for tenants in groups:
            try:
                found += await unscoped.rows(sql, tenants=tenants, start=start, **params)
            except CONNECTION_ERRORS as error:
                failures.append(error)
        if failures and len(failures) == len(groups):
            raise failures[0]
        if len(failures) != self._unreachable:
            self._unreachable = len(failures)
            logs.note("the cluster's workers changed", unreachable=len(failures))
        return found

    async def _divide(self, unscoped: Unscoped, start: UUID) -> list[list[UUID]]:
        """Divides the tenants by worker."""
        rows = await unscoped.rows(_TENANTS, start=start, limit=MAX_CLUSTER_TENANTS)
        tenants = [row["id"] for row in rows]
        if time.monotonic() > self._read_at + _PLACEMENT_SECONDS:
            self._workers.clear()
            self._read_at = time.monotonic()
        if unknown := [tenant for tenant in tenants if tenant not in self._workers]:
            rows = await unscoped.rows(_PLACEMENTS, tenants=unknown)
            self._workers |= {row["id"]: row["worker"] for row in rows}
        groups: dict[int, list[UUID]] = {}
        for tenant in tenants:
            groups.setdefault(self._workers[tenant], []).append(tenant)
        return list(groups.values())
