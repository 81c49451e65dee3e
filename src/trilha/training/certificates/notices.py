"""Notifies holders that a certificate was issued, will expire or has expired."""

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.events.catalogue import CertificateExpiring
from trilha.platform.events.outbox import emit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import CertificateExpired as ExpiredMail
from trilha.platform.mail.catalogue import CertificateIssued as IssuedMail
from trilha.platform.mail.schema import Recipient
from trilha.training.certificates import notice_queries, rules
from trilha.training.certificates.schema import DueNotice
from trilha.training.reminders import actions as reminders

_BATCH = 200
_Mail = IssuedMail | ExpiredMail


async def tell_due(tx: Tx, *, address: str) -> int:
    """Sends the next notifications; returns how many. `address` is the base of links."""
    due = await notice_queries.take_due_notices(tx, _BATCH)
    if not due:
        return 0
    now = Timestamp.of(tx.now)
    await notice_queries.set_notices(
        tx, {each.id: rules.next_notice(each.notice, each.expires_at) for each in due}
    )
    await emit(tx, *(_expiring(each) for each in due if each.notice == "EXPIRING" and _is_ahead(each, now)))
    await reminders.make(
        tx,
        [
            (each.user_id, each.enrollment_id, "certificate_expiring")
            for each in due
            if each.notice == "EXPIRING" and _is_ahead(each, now)
        ],
    )
    letters = [(_recipient(each), mail) for each in due if (mail := _mail(each, now, address))]
    await outbox.send_all(tx, letters)
    return len(due)


def _is_ahead(due: DueNotice, now: Timestamp) -> bool:
    """Tells whether the expiry is still ahead; after a long standstill of the worker only the expiry is
    announced.
    """
    return due.expires_at is not None and due.expires_at > now


def _expiring(due: DueNotice) -> CertificateExpiring:
    assert due.expires_at is not None
    return CertificateExpiring(
        certificate_id=due.id,
        enrollment_id=due.enrollment_id,
        user_id=due.user_id,
        course_id=due.course_id,
        expires_at=due.expires_at,
    )


def _recipient(due: DueNotice) -> Recipient:
    return Recipient(due.email, due.name, due.locale, due.time_zone, due.user_id)


def _mail(due: DueNotice, now: Timestamp, address: str) -> _Mail | None:
    """Returns None if the holder gets no mail about this."""
    if not due.reachable:
        return None
    link = f"{address}/learn/certificates/{due.id}"
    if due.notice == "ISSUED":
        return IssuedMail(course=due.course_title, expires_at=due.expires_at, link=link)
    assert due.expires_at is not None
    if due.notice == "EXPIRING" or not due.renewable:
        return None  # a reminder says that it expires
    return ExpiredMail(course=due.course_title, expires_at=due.expires_at, link=link)
