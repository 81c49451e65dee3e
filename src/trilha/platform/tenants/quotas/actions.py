"""Sets quotas, and refuses what exceeds them."""

from msgspec import structs

from trilha.core import metrics
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.platform.audit import queries as audit
from trilha.platform.tenants.quotas import queries
from trilha.platform.tenants.quotas.schema import Quotas
from trilha.platform.tenants.usage import queries as usage
from trilha.platform.tenants.usage.rules import find_month


async def set_quotas(tx: Tx, quotas: Quotas) -> Quotas:
    """Replaces all quotas. What is used already stays, even if it is more."""
    before = await queries.get(tx)
    if quotas != before:
        await queries.put(tx, quotas)
        await audit.record(tx, "tenant.quotas_changed", tx.tenant_id, **structs.asdict(quotas))
    return quotas


async def check_people(tx: Tx) -> None:
    """Call it after people were added or activated: the transaction sees them in the counters.

    Raises BusinessRule (quota_exceeded).
    """
    limit = await queries.find_exceeded_people(tx)
    if limit is not None:
        raise _refuse_people(limit)


async def find_overflow(tx: Tx, count: int) -> tuple[int, BusinessRule] | None:
    """Returns how many of the new people there is room for, and the error for the others. Returns None if
    there is room for all.
    """
    room = await queries.find_room(tx)
    return None if room is None or count <= room[0] else (room[0], _refuse_people(room[1]))


def _refuse_people(limit: int) -> BusinessRule:
    metrics.count_quota_refusal("people")
    return BusinessRule("quota_exceeded", quota="max_people", limit=limit)


async def check_storage(tx: Tx, added: int) -> None:
    """Checks an upload of so many bytes before it is stored. Raises BusinessRule (quota_exceeded)."""
    limit = (await queries.get(tx)).max_storage_bytes
    if limit is not None and await usage.count_storage(tx) + added > limit:
        metrics.count_quota_refusal("storage")
        raise BusinessRule("quota_exceeded", quota="max_storage_bytes", limit=limit)


async def find_mail_room(tx: Tx) -> int | None:
    """Returns how many more e-mails may be sent this month, or None if there is no quota."""
    limit = (await queries.get(tx)).max_mails_per_month
    if limit is None:
        return None
    return max(0, limit - (await usage.count(tx, find_month(tx.now))).mails)
