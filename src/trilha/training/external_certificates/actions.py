"""Uploads and answers certificates of training elsewhere."""

from datetime import date, datetime, time
from uuid import UUID

import trilha.training.external_certificates.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.lists import find_rows
from trilha.core.types import Name, Timestamp
from trilha.people.users.reach import Reach
from trilha.platform.audit import queries as audit
from trilha.training.enrollments import importing, validity_queries
from trilha.training.enrollments.schema import PastCompletion
from trilha.training.external_certificates import queries
from trilha.training.external_certificates.errors import MAX_BYTES
from trilha.training.external_certificates.queries import WAITING, File, ListedCertificate

_NOON = time(12)
# What the first bytes of a file say about its kind.
_KINDS = ((b"%PDF-", "application/pdf"), (b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"))


def check_file(content: bytes) -> File:
    """Raises Invalid (certificate_not_readable)."""
    for start, media_type in _KINDS:
        if content.startswith(start) and len(content) <= MAX_BYTES:
            return File(media_type, content)
    raise invalid("file", "certificate_not_readable")


async def upload(tx: Tx, user_id: UUID, course_id: UUID, completed_on: date, issuer: str, file: File) -> None:
    """Stores a certificate until an administrator answers. Raises Invalid (in_future), Conflict
    (external_certificate_waits).
    """
    if completed_on > tx.today:
        raise invalid("completed_on", "in_future")
    await queries.insert(tx, user_id, course_id, completed_on.isoformat(), issuer, file)


async def find_waiting(tx: Tx, id: UUID, reach: Reach) -> ListedCertificate:
    """Returns a certificate of somebody within reach. Raises NotFound."""
    rows = await find_rows(tx, WAITING, [id], reach)
    if not rows:
        raise NotFound("external_certificate_not_found")
    return rows[0]


async def accept(tx: Tx, certificate: ListedCertificate) -> None:
    """Takes the certificate for a completion, which satisfies requirements until its end."""
    await queries.answer(tx, certificate.id, accepted=True, reason=None)
    zone = await validity_queries.get_zone(tx)
    moment = min(datetime.combine(date.fromisoformat(certificate.completed_on), _NOON, zone), tx.now)
    completion = PastCompletion(
        user_id=certificate.user_id,
        course_id=certificate.course_id,
        completed_at=Timestamp.of(moment),
        source=Name(certificate.issuer),
    )
    await importing.take_over(tx, [completion], certificates=False)
    await audit.record(tx, "external_certificate.accepted", certificate.id, user_id=certificate.user_id)


async def refuse(tx: Tx, certificate: ListedCertificate, reason: str) -> None:
    await queries.answer(tx, certificate.id, accepted=False, reason=reason)
    await audit.record(tx, "external_certificate.refused", certificate.id, user_id=certificate.user_id)
