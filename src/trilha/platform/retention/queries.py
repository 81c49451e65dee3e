"""SQL of the retention settings."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from trilha.core.database import Search, Tx, columns_of
from trilha.core.jobs import tenants_where
from trilha.platform.retention.logs import AUDIT_LOG
from trilha.platform.retention.schema import RetentionSettings


async def get(tx: Tx) -> RetentionSettings:
    settings = await tx.find(
        RetentionSettings,
        f"SELECT {columns_of(RetentionSettings)} FROM tenant_settings WHERE tenant_id = :tenant",  # noqa: S608
    )
    return settings or RetentionSettings()


def find_cutoff(tx: Tx, days: int | None) -> datetime | None:
    """Returns the moment before which rows are no longer kept, or None if all are.

    It is the beginning of a day in UTC, so that a day's rows are archived together.
    """
    return None if days is None else begin_day(tx.now - timedelta(days=days))


def begin_day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def tenants_with(*columns: str) -> Search:
    """Searches for the tenants that have set one of these columns."""
    condition = " OR ".join(f"s.{column} IS NOT NULL" for column in columns)
    return tenants_where(
        f"""EXISTS (SELECT FROM tenant_settings s
                    WHERE s.tenant_id = home.tenant_id AND ({condition}))"""
    )


def build_cutoff(column: str, fallback: str) -> str:
    """Builds SQL for the cutoff of the tenant `home`. `fallback` is the parameter for tenants without their
    own period.
    """
    own = f"(SELECT s.{column} FROM tenant_settings s WHERE s.tenant_id = home.tenant_id)"  # noqa: S608
    return f"""date_trunc('day', COALESCE(CAST(:now AS timestamptz) - {own} * interval '1 day',
                                          CAST(:{fallback} AS timestamptz)), 'UTC')"""


async def prune_audit_log(tx: Tx, before: datetime, limit: int, *, sign_ins: bool) -> Sequence[Any]:
    """Deletes the oldest audit records created before `before`: those of sign-ins, or all others."""
    return await tx.rows(
        f"""
        DELETE FROM audit_records WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM audit_records
            WHERE tenant_id = :tenant AND created_at < :before
              AND starts_with(action, 'session.') = CAST(:sign_ins AS boolean)
            ORDER BY created_at, id LIMIT :limit)
        RETURNING {AUDIT_LOG.names}
        """,  # noqa: S608
        before=before,
        limit=limit,
        sign_ins=sign_ins,
    )
