"""Links to a certificate's files, valid for 15 minutes for anybody who has them."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct, structs

from trilha.core import signed_links
from trilha.core.secrets import Keyring
from trilha.core.signed_links import LinkQuery
from trilha.training.certificates.rules import format_code
from trilha.training.certificates.schema import Certificate, HeldCertificate, StoredCertificate

PATH = "/certificates"
BADGE = "badge.jwt"
_PURPOSE = b"certificate-link"


class Links(Struct, frozen=True):
    """Builds and checks links. `address` is the server's public address, without a trailing slash."""

    address: str
    keyring: Keyring

    def verification(self, code: str) -> str:
        """Returns the address of the certificate's public page."""
        return f"{self.address}/verify/{format_code(code)}"

    def file(self, tenant_id: UUID, certificate_id: UUID, name: str, now: datetime) -> str:
        """Returns a link to the file of this name."""
        query = signed_links.build_signed_query(
            self.keyring, _PURPOSE, (tenant_id, certificate_id, name), now
        )
        return f"{self.address}{PATH}/{tenant_id}/{certificate_id}/{name}?{query}"

    def pdf(self, tenant_id: UUID, certificate: StoredCertificate, now: datetime) -> str | None:
        """Returns None until the PDF exists, and after the holder was erased."""
        if not certificate.has_file:
            return None
        return self.file(tenant_id, certificate.id, pdf_name(certificate), now)

    def pdf_a1b(self, tenant_id: UUID, certificate: StoredCertificate, now: datetime) -> str | None:
        """Returns None until the PDF exists, and after the holder was erased."""
        if not certificate.has_file:
            return None
        return self.file(tenant_id, certificate.id, pdf_a1b_name(certificate), now)

    def badge(self, tenant_id: UUID, certificate: StoredCertificate, now: datetime) -> str | None:
        """Returns the link to the signed credential (Open Badges 3.0), which exists as soon as the PDF
        does.
        """
        return self.file(tenant_id, certificate.id, BADGE, now) if certificate.has_file else None

    def build_certificate(
        self, tenant_id: UUID, certificate: StoredCertificate, now: datetime
    ) -> Certificate:
        """Builds a certificate as the API returns it."""
        return Certificate(
            id=certificate.id,
            verification_code=certificate.display_code,
            user_id=certificate.user_id,
            enrollment_id=certificate.enrollment_id,
            course_id=certificate.course_id,
            pdf_url=self.pdf(tenant_id, certificate, now),
            pdf_a1b_url=self.pdf_a1b(tenant_id, certificate, now),
            issued_at=certificate.issued_at,
            expires_at=certificate.expires_at,
            verification_url=self.verification(certificate.code),
        )

    def build_held_certificate(
        self, tenant_id: UUID, certificate: StoredCertificate, now: datetime
    ) -> HeldCertificate:
        """Builds a certificate as its holder reads it."""
        return HeldCertificate(
            **structs.asdict(self.build_certificate(tenant_id, certificate, now)),
            holder_name=certificate.holder_name,
            holder_cpf=certificate.holder_cpf_masked,
            course_title=certificate.course_title,
            issued_by=certificate.issued_by,
            workload_minutes=certificate.workload_minutes,
            score=certificate.score,
            completed_at=certificate.completed_at,
            revoked_at=certificate.revoked_at,
            revocation_reason=certificate.revocation_reason,
        )

    def check(
        self, tenant_id: UUID, certificate_id: UUID, name: str, query: LinkQuery, now: datetime
    ) -> None:
        """Raises Forbidden (link_invalid, link_expired)."""
        signed_links.check(self.keyring, _PURPOSE, (tenant_id, certificate_id, name), query, now)


def pdf_name(certificate: StoredCertificate) -> str:
    word = {"pt-BR": "certificado", "en": "certificate"}[certificate.locale]
    return f"{word}-{certificate.display_code}.pdf"


def pdf_a1b_name(certificate: StoredCertificate) -> str:
    return pdf_name(certificate).replace(".pdf", "-pdfa1b.pdf")
