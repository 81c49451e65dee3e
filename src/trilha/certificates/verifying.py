"""What anybody is told who verifies a certificate."""

from trilha.certificates.rules import shown_code
from trilha.certificates.schema import FoundCertificate, PublicCertificate, Verification
from trilha.core.types import Timestamp


def verification_of(found: FoundCertificate | None, now: Timestamp) -> Verification:
    if found is None:
        return Verification(False, "not_found")
    shown = PublicCertificate(
        verification_code=shown_code(found.code),
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
