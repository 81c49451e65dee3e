"""SQL of usage."""

from datetime import date
from typing import Any

from trilha.core import counter_rows
from trilha.core.database import Tx, columns_of
from trilha.platform.tenants.usage.rules import find_month
from trilha.platform.tenants.usage.schema import USAGE_COUNTERS, Counts, Measurement


async def add(tx: Tx, *, api_calls: int = 0, mails: int = 0) -> None:
    """Adds to the counters of this month, without waiting for anybody."""
    sums = {(find_month(tx.now),): {"api_calls": api_calls, "mails": mails}}
    await counter_rows.insert(tx, USAGE_COUNTERS, sums)


async def count(tx: Tx, month: date) -> Counts:
    counts = await tx.find(
        Counts,
        """
        SELECT COALESCE(sum(api_calls), 0)::bigint AS api_calls, COALESCE(sum(mails), 0)::bigint AS mails
        FROM usage_counters WHERE tenant_id = :tenant AND month = :month
        """,
        month=month,
    )
    assert counts is not None
    return counts


async def count_people(tx: Tx) -> tuple[int, int]:
    """Returns how many people there are now, and how many of them are active."""
    (row,) = await tx.rows(
        """
        SELECT COALESCE(sum(people), 0)::bigint AS people,
               COALESCE(sum(people) FILTER (WHERE status = 'ACTIVE'), 0)::bigint AS active
        FROM people_counters WHERE tenant_id = :tenant
        """
    )
    return row["people"], row["active"]


async def find_measurement(tx: Tx, month: date) -> Measurement | None:
    """Returns the last measurement of this month, or of the latest one before it."""
    return await tx.find(
        Measurement,
        f"""
        SELECT {columns_of(Measurement)} FROM usage_months
        WHERE tenant_id = :tenant AND month <= :month ORDER BY month DESC LIMIT 1
        """,  # noqa: S608
        month=month,
    )


async def put_measurement(tx: Tx, month: date, **values: Any) -> None:
    await tx.execute(
        """
        INSERT INTO usage_months (tenant_id, month, people, active_people, files, storage_bytes, measured_at)
        VALUES (:tenant, :month, :people, :active_people, :files, :storage_bytes, :measured_at)
        ON CONFLICT (tenant_id, month) DO UPDATE
        SET people = excluded.people, active_people = excluded.active_people, files = excluded.files,
            storage_bytes = excluded.storage_bytes, measured_at = excluded.measured_at
        """,
        month=month,
        **values,
    )


async def sum_uploads(tx: Tx, since: str | None) -> int:
    """Returns the bytes of packages and media that were uploaded since the last measurement."""
    size: int = await tx.value(
        """
        SELECT (SELECT COALESCE(sum(size), 0) FROM packages
                WHERE tenant_id = :tenant AND created_at > COALESCE(:since::timestamptz, '-infinity'))
             + (SELECT COALESCE(sum(size), 0) FROM media_files
                WHERE tenant_id = :tenant AND created_at > COALESCE(:since::timestamptz, '-infinity'))
        """,
        since=since,
    )
    return int(size)


async def count_storage(tx: Tx) -> int:
    """Returns the bytes in the file store: what the worker measured last, and what was uploaded since."""
    measured = await find_measurement(tx, find_month(tx.now))
    uploads = await sum_uploads(tx, measured.measured_at if measured else None)
    return uploads + (measured.storage_bytes if measured else 0)


async def count_waiting_mails(tx: Tx) -> int:
    """Returns how many e-mails are not sent yet."""
    count: int = await tx.value(
        "SELECT count(*) FROM mail_messages WHERE tenant_id = :tenant AND status = 'PENDING'"
    )
    return count
