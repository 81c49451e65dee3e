"""Changes the settings, announces erasures, and erases evidence."""

from datetime import datetime

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.audit import queries as audit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import RecordsErased
from trilha.platform.tenants import queries as tenants
from trilha.training.record_retention import queries, rules
from trilha.training.record_retention.schema import RecordSettings


async def change_settings(tx: Tx, settings: RecordSettings) -> None:
    """Replaces the settings. Announcements of evidence that is kept longer now are withdrawn at once."""
    before = structs.asdict(await queries.get_settings(tx))
    changed = {name: years for name, years in structs.asdict(settings).items() if years != before[name]}
    if changed:
        await tenants.update(tx, changed)
        name = (await tenants.get(tx)).name
        await audit.record(tx, "tenant.settings_changed", tx.tenant_id, name, **changed)
        await queries.withdraw(tx, settings)


async def announce(tx: Tx, settings: RecordSettings, link: str, limit: int) -> int:
    """Announces what is over soon, and tells administrators. Returns how many enrollments."""
    records = await queries.list_overdue(tx, settings, tx.now + rules.AHEAD, limit)
    moments = [rules.plan_erasure(datetime.fromisoformat(each.kept_until), tx.now) for each in records]
    await queries.announce(tx, records, moments)
    if records:
        first = Timestamp.of(min(moments))
        await audit.record(tx, "record.erasure_announced", None, records=len(records), first=first)
        letter = RecordsErased(records=len(records), at=first, link=link)
        await outbox.send_all(tx, [(each, letter) for each in await queries.list_recipients(tx)])
    return len(records)


async def erase_due(tx: Tx, limit: int) -> int:
    """Erases evidence whose announced time has come. Returns of how many enrollments."""
    due = await queries.take_due(tx, limit)
    for each in due:
        counts = await queries.erase(tx, each.enrollment_id, each.user_id)
        await audit.record(tx, "record.erased", each.enrollment_id, each.course_title, **counts)
    return len(due)
