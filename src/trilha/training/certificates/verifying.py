"""The public answer to verifying a certificate."""

from trilha.core.types import Timestamp
from trilha.training.certificates.rules import format_code
from trilha.training.certificates.schema import CertificateMatch, PublicCertificate, Verification


def verification_of(matched: CertificateMatch | None, now: Timestamp) -> Verification:
    if matched is None:
        return Verification(False, "not_found")
    shown = PublicCertificate(
        verification_code=format_code(matched.code),
        user_name=matched.holder_name,
        holder_cpf=matched.holder_cpf_masked,
        course_title=matched.course_title,
        issued_by=matched.issued_by,
        issued_at=matched.issued_at,
        expires_at=matched.expires_at,
    )
    match matched.status(now):
        case "VALID":
            return Verification(True, certificate=shown)
        case "REVOKED":
            return Verification(False, "revoked", shown)
        case "EXPIRED":
            return Verification(False, "expired", shown)
