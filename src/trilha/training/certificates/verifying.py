"""The public answer to verifying a certificate."""

from trilha.core.types import Timestamp
from trilha.training.certificates.rules import format_code
from trilha.training.certificates.schema import CertificateMatch, PublicCertificate, Verification


def verification_of(found: CertificateMatch | None, now: Timestamp) -> Verification:
    if found is None:
        return Verification(False, "not_found")
    shown = PublicCertificate(
        verification_code=format_code(found.code),
        user_name=found.holder_name,
        holder_cpf=found.holder_cpf_masked,
        course_title=found.course_title,
        issued_by=found.issued_by,
        issued_at=found.issued_at,
        expires_at=found.expires_at,
    )
    match found.status(now):
        case "VALID":
            return Verification(True, certificate=shown)
        case "REVOKED":
            return Verification(False, "revoked", shown)
        case "EXPIRED":
            return Verification(False, "expired", shown)
