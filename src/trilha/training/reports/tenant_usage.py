"""What a tenant used in a month, for the operator of the installation."""

from datetime import date, timedelta
from typing import Annotated

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.tenants.quotas import queries as quotas
from trilha.platform.tenants.quotas.schema import Quotas
from trilha.platform.tenants.usage import queries, rules
from trilha.training.learning.launches import queries as launches

# No launch lasts longer.
_LONGEST_LAUNCH = timedelta(days=7)


class TenantUsage(Struct, frozen=True, kw_only=True):
    """What a tenant used in a month. Months begin at midnight UTC.

    People and storage are those of now, and of a past month those measured last in it; null was not measured.
    `mails_waiting` are e-mails that are not sent yet, because they are new, failed or over the quota.
    """

    slug: str
    month: Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}$", examples=["2026-11"])]
    people: int | None
    active_people: int | None
    active_learners: Annotated[int, Meta(description="People who opened a course in this month.")]
    storage_bytes: int | None
    storage_measured_at: Timestamp | None
    api_calls: int
    mails: int
    mails_waiting: int
    quotas: Quotas
    exceeded: Annotated[list[str], Meta(description="The quotas of this month that are used up.")]


async def load_usage(tx: Tx, slug: str, month: date) -> TenantUsage:
    is_current = month == rules.find_month(tx.now)
    counts, limits = await queries.count(tx, month), await quotas.get(tx)
    measured = await queries.find_measurement(tx, month)
    people: tuple[int | None, int | None] = (None, None)
    storage = None
    if is_current:
        people, storage = await queries.count_people(tx), await queries.count_storage(tx)
    elif measured and measured.month == month:
        people, storage = (measured.people, measured.active_people), measured.storage_bytes
    first, after = rules.start_of(month), rules.start_of(rules.find_next_month(month))
    used = {
        "max_people": people[1],
        "max_storage_bytes": storage,
        "max_api_calls_per_month": counts.api_calls,
        "max_mails_per_month": counts.mails,
    }
    return TenantUsage(
        slug=slug,
        month=f"{month:%Y-%m}",
        people=people[0],
        active_people=people[1],
        active_learners=await launches.count_people(tx, first - _LONGEST_LAUNCH, first, after),
        storage_bytes=storage,
        storage_measured_at=measured.measured_at if measured else None,
        api_calls=counts.api_calls,
        mails=counts.mails,
        mails_waiting=await queries.count_waiting_mails(tx) if is_current else 0,
        quotas=limits,
        exceeded=[name for name, value in used.items() if _is_used_up(value, getattr(limits, name))],
    )


def _is_used_up(value: int | None, limit: int | None) -> bool:
    return value is not None and limit is not None and value >= limit
