"""The worker's job for qualifications: e-mails to people whose qualification expires soon."""

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import QualificationExpires
from trilha.platform.mail.schema import Recipient
from trilha.training.qualifications import queries, rules
from trilha.training.qualifications.schema import DueNotice

_BATCH = 200


async def tell_due(tx: Tx) -> int:
    """Sends the next notices; returns how many."""
    due = await queries.take_due_notices(tx, _BATCH)
    if not due:
        return 0
    zone = await queries.get_zone(tx)
    today = tx.now.astimezone(zone).date().isoformat()
    plans = {each.id: rules.plan_following_notice(each.valid_until, tx.now, zone) for each in due}
    await queries.set_notices(tx, plans)
    letters = [
        (
            _recipient(each),
            QualificationExpires(title=each.title, expires_at=rules.begin_day(each.valid_until, zone)),
        )
        for each in due
        if each.reachable and each.valid_until >= today
    ]
    await outbox.send_all(tx, letters)
    return len(due)


def _recipient(due: DueNotice) -> Recipient:
    return Recipient(due.email, due.name, due.locale, due.time_zone, due.user_id)


TELL = TenantJob(
    name="tell of qualifications that expire",
    due=oldest("qualifications", "notice_due_at <= :now", "notice_due_at"),
    batch=tell_due,
    rest=30,
)
