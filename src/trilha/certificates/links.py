"""Links to a certificate's files, good for 15 minutes for whoever has them."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct, structs

from trilha.certificates.rules import shown_code
from trilha.certificates.schema import Certificate, HeldCertificate, StoredCertificate
from trilha.core import signed_links
from trilha.core.secrets import Keyring
from trilha.core.signed_links import LinkQuery

PATH = "/certificates"
BADGE = "badge.jwt"
_PURPOSE = b"certificate-link"


class Links(Struct, frozen=True):
    """Makes and checks them. `address` is what the server is reached at, without a slash at its end."""

    address: str
    keyring: Keyring

    def verification(self, code: str) -> str:
        """The public page of a certificate."""
        return f"{self.address}/verify/{shown_code(code)}"

    def file(self, tenant_id: UUID, certificate_id: UUID, name: str, now: datetime) -> str:
        """To the file with this name below the certificate."""
        query = signed_links.signed(self.keyring, _PURPOSE, (tenant_id, certificate_id, name), now)
        return f"{self.address}{PATH}/{tenant_id}/{certificate_id}/{name}?{query}"

    def pdf(self, tenant_id: UUID, certificate: StoredCertificate, now: datetime) -> str | None:
        """None until there is one, and when the holder was erased."""
        if not certificate.has_file:
            return None
        return self.file(tenant_id, certificate.id, pdf_name(certificate), now)

    def badge(self, tenant_id: UUID, certificate: StoredCertificate, now: datetime) -> str | None:
        """To the signed credential (Open Badges 3.0), which is there as soon as the PDF is."""
        return self.file(tenant_id, certificate.id, BADGE, now) if certificate.has_file else None

    def shown(self, tenant_id: UUID, certificate: StoredCertificate, now: datetime) -> Certificate:
        """As it is read."""
        return Certificate(
            id=certificate.id,
            verification_code=certificate.shown_code,
            user_id=certificate.user_id,
            enrollment_id=certificate.enrollment_id,
            course_id=certificate.course_id,
            pdf_url=self.pdf(tenant_id, certificate, now),
            issued_at=certificate.issued_at,
            expires_at=certificate.expires_at,
            verification_url=self.verification(certificate.code),
        )

    def held(self, tenant_id: UUID, certificate: StoredCertificate, now: datetime) -> HeldCertificate:
        """As its holder reads it."""
        return HeldCertificate(
            **structs.asdict(self.shown(tenant_id, certificate, now)),
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
    return f"{word}-{certificate.shown_code}.pdf"
