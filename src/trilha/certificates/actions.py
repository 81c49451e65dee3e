"""What is done to certificates, inside the caller's transaction."""

from collections.abc import Sequence
from uuid import UUID, uuid4

import trilha.certificates.errors  # noqa: F401
from trilha.audit import queries as audit
from trilha.certificates import queries, rules
from trilha.certificates.schema import Evidence, Issued, NewCertificate, StoredCertificate
from trilha.core.database import Tx
from trilha.enrollments.schema import Enrollment
from trilha.events.catalogue import CertificateIssued
from trilha.events.outbox import emit


async def issue(tx: Tx, enrollment: Enrollment, evidence: Evidence | None) -> UUID | None:
    """In the transaction that completes the enrollment; the certificate's id. None where it has one."""
    issued = await issue_all(tx, [(enrollment.id, evidence)])
    return issued[0].id if issued else None


async def issue_all(tx: Tx, completed: Sequence[tuple[UUID, Evidence | None]]) -> list[Issued]:
    """To these enrollments, by their ids; those that have a certificate are passed over."""
    new = [
        NewCertificate(enrollment_id, uuid4(), rules.new_code(), evidence)
        for enrollment_id, evidence in completed
    ]
    issued = await queries.insert(tx, new)
    await emit(
        tx,
        *(
            CertificateIssued(**_ids(each), issued_at=each.issued_at, expires_at=each.expires_at)
            for each in issued
        ),
    )
    return issued


async def revoke(tx: Tx, certificate_id: UUID, reason: str) -> StoredCertificate:
    """The certificate, revoked. One that is revoked already is left as it is. Raises NotFound."""
    raise NotImplementedError


async def reissue(tx: Tx, certificate_id: UUID) -> StoredCertificate:
    """A new certificate of the same completion, in the name that the holder has now; the old one is revoked
    and points to it. Of one that was replaced already it is the one in its place.

    Raises NotFound, Conflict (certificate_expired, holder_erased).
    """
    raise NotImplementedError


async def render_again(tx: Tx, certificate_id: UUID) -> None:
    """Has the PDF made that could not be made. Raises NotFound."""
    await queries.get_for_update(tx, certificate_id)
    if await queries.restart_rendering(tx, certificate_id):
        await audit.record(tx, "certificate.rendering_retried", certificate_id)


async def forget(tx: Tx, user_id: UUID) -> None:
    """What names this person in certificates. They stay, and verify without a name."""
    raise NotImplementedError


def _ids(certificate: Issued | StoredCertificate) -> dict[str, UUID]:
    return {
        "certificate_id": certificate.id,
        "enrollment_id": certificate.enrollment_id,
        "user_id": certificate.user_id,
        "course_id": certificate.course_id,
    }
