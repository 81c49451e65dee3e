"""Changes to certificates, inside the caller's transaction."""

from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import UUID, uuid4

import trilha.training.certificates.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.core.types import Timestamp
from trilha.people.users import queries as users
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import NewRecord
from trilha.platform.events.catalogue import CertificateIssued, CertificateRevoked
from trilha.platform.events.outbox import emit
from trilha.training.certificates import issue_queries, queries, rules
from trilha.training.certificates.schema import (
    Evidence,
    IssuedCertificate,
    NewCertificate,
    Reason,
    StoredCertificate,
)
from trilha.training.enrollments import counters, validity_queries
from trilha.training.enrollments.schema import Enrollment

_REASON_REPLACED = "replaced"


async def issue(tx: Tx, enrollment: Enrollment, evidence: Evidence | None) -> UUID | None:
    """Issues a certificate in the transaction that completes the enrollment; returns its id, or None if the
    enrollment already has one.
    """
    issued = await issue_all(tx, {enrollment.id: evidence}, announced=True)
    return issued[0].id if issued else None


async def issue_all(
    tx: Tx, completed: Mapping[UUID, Evidence | None], *, announced: bool
) -> list[IssuedCertificate]:
    """Issues certificates to these enrollments; skips those that have one.

    `announced` notifies the holders at once. The caller locks the holders' rows, so that none of them is
    erased meanwhile.
    """
    validities = await validity_queries.compute_validities(tx, list(completed))
    new = [
        NewCertificate(enrollment_id, uuid4(), rules.new_code(), evidence, validity.valid_until)
        for enrollment_id, evidence in completed.items()
        if (validity := validities.get(enrollment_id)) is not None
    ]
    issued = await issue_queries.insert(tx, new, announced=announced)
    dated = {each.enrollment_id: validities[each.enrollment_id] for each in issued if each.expires_at}
    if dated:
        await validity_queries.set_validities(tx, dated)
    await _count_by_expiry_month(tx, issued)
    await emit(tx, *map(_build_issued_event, issued))
    return issued


async def revoke(tx: Tx, certificate_id: UUID, reason: Reason) -> StoredCertificate:
    """Returns the revoked certificate. No change if it is already revoked. Raises NotFound."""
    certificate = await queries.get_for_update(tx, certificate_id)
    if certificate.revoked_at is not None:
        return certificate
    await queries.revoke(tx, certificate_id, reason)
    await _count_by_expiry_month(tx, [certificate], -1)
    await emit(tx, CertificateRevoked(**_ids(certificate), revoked_at=Timestamp.of(tx.now)))
    return await queries.get(tx, certificate_id)


async def reissue(tx: Tx, certificate_id: UUID) -> StoredCertificate:
    """Issues a certificate for the same completion under the holder's current name; the old one is revoked
    and refers to the new one. If the certificate was already replaced, returns its replacement.

    Raises NotFound, Conflict (certificate_expired, holder_erased).
    """
    holder = (await queries.get(tx, certificate_id)).user_id
    # Before the certificate, because an erasure locks them in this order.
    await users.get_for_update(tx, holder)
    old = await queries.get_for_update(tx, certificate_id)
    while old.replaced_by is not None:
        old = await queries.get_for_update(tx, old.replaced_by)
    if old.id != certificate_id:
        return old
    if old.erased_at is not None:
        raise Conflict("holder_erased")
    now = Timestamp.of(tx.now)
    if old.expires_at is not None and old.expires_at <= now:
        raise Conflict("certificate_expired")
    new_id = uuid4()
    await queries.revoke(tx, old.id, _REASON_REPLACED, replaced_by=new_id)
    new = await issue_queries.insert_replacement(tx, old.id, new_id, rules.new_code())
    if old.revoked_at is not None:  # otherwise the new one takes its place in the counters
        await _count_by_expiry_month(tx, [new])
    revoked = [CertificateRevoked(**_ids(old), revoked_at=now)] if old.revoked_at is None else []
    record = NewRecord("certificate.reissued", new.id, detail={"replaces": old.id, "user_id": new.user_id})
    await emit(tx, *revoked, _build_issued_event(new), record=record)
    return new


async def render_again(tx: Tx, certificate_id: UUID) -> None:
    """Retries a PDF that failed permanently. Raises NotFound."""
    await queries.get_for_update(tx, certificate_id)
    if await queries.restart_rendering(tx, certificate_id):
        await audit.record(tx, "certificate.rendering_retried", certificate_id)


async def _count_by_expiry_month(
    tx: Tx, certificates: Sequence[IssuedCertificate | StoredCertificate], sign: int = 1
) -> None:
    """Counts certificates by their month of expiry."""
    expiring: counters.Months = Counter()
    for each in certificates:
        if each.expires_at is not None:
            expiring[each.course_id, counters.month_of(each.expires_at)] += sign
    await counters.add_deadlines(tx, expiring=expiring)


def _build_issued_event(certificate: IssuedCertificate | StoredCertificate) -> CertificateIssued:
    return CertificateIssued(
        **_ids(certificate), issued_at=certificate.issued_at, expires_at=certificate.expires_at
    )


def _ids(certificate: IssuedCertificate | StoredCertificate) -> dict[str, UUID]:
    return {
        "certificate_id": certificate.id,
        "enrollment_id": certificate.enrollment_id,
        "user_id": certificate.user_id,
        "course_id": certificate.course_id,
    }
