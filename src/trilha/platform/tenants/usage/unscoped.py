"""Sums over all tenants, for the metrics of the installation."""

from trilha.core.database import Unscoped


async def count_tenants(unscoped: Unscoped) -> dict[str, float]:
    """Returns the number of tenants by status."""
    rows = await unscoped.rows("SELECT lower(status) AS status, count(*) AS count FROM tenants GROUP BY 1")
    return {row["status"]: row["count"] for row in rows}


async def sum_latest(unscoped: Unscoped) -> dict[str, float]:
    """Returns the sums of what was measured in the last two months, which skips tenants that are gone."""
    (row,) = await unscoped.rows(
        """
        SELECT COALESCE(sum(people), 0)::bigint AS people,
               COALESCE(sum(active_people), 0)::bigint AS active_people,
               COALESCE(sum(storage_bytes), 0)::bigint AS storage_bytes
        FROM (SELECT DISTINCT ON (tenant_id) people, active_people, storage_bytes FROM usage_months
              WHERE month >= CAST(:now AS timestamptz) - interval '62 days'
              ORDER BY tenant_id, month DESC) AS latest
        """
    )
    return dict(row.items())
