"""Certificates: as they are kept, as they are read, and what anybody is told who verifies one."""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.certificates.rules import CertificateStatus, Notice, shown_code, status_of
from trilha.core.types import STORABLE, Refused, Text, Timestamp
from trilha.core.web.pagination import ListQuery, PageSize, SyncQuery
from trilha.enrollments.schema import Percent

Unverified = Literal["not_found", "revoked", "expired"]
_CODE = Meta(examples=["7K2M-9QXR-4TVB-H3NC"])


class Reason(Text):
    """Why a certificate is revoked: trimmed, 1 to 500 characters."""

    __slots__ = ()
    schema = {"type": "string", "minLength": 1, "maxLength": 500}
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        reason = " ".join(text.split())
        if not reason:
            raise Refused("too_short")
        if len(reason) > 500:
            raise Refused("too_long")
        if "\x00" in reason:
            raise Refused("invalid_text")
        return reason


class Evidence(Struct, frozen=True):
    """The entry of an enrollment's log that says that it was completed: its number and its keyed hash."""

    number: int
    hash: bytes


class Certificate(Struct, frozen=True):
    """Proof that a course was completed. `pdf_url` is null until the PDF is made, then a link that is good
    for 15 minutes."""

    id: UUID
    verification_code: Annotated[str, _CODE]
    user_id: UUID
    enrollment_id: UUID
    course_id: UUID
    pdf_url: (
        Annotated[
            str, Meta(examples=["https://learn.example.com/certificates/4c5e/9d1f/certificate.pdf?..."])
        ]
        | None
    )
    issued_at: Timestamp
    expires_at: Timestamp | None
    verification_url: Annotated[str, Meta(examples=["https://learn.example.com/verify/7K2M-9QXR-4TVB-H3NC"])]


class HeldCertificate(Certificate, frozen=True):
    """One of a person's own, with what it says of them."""

    holder_name: str | None
    holder_cpf: Annotated[str, Meta(examples=["***.***.***-25"])] | None
    course_title: str
    issued_by: str
    workload_minutes: int
    score: Percent | None
    completed_at: Timestamp
    revoked_at: Timestamp | None
    revocation_reason: str | None


class CertificatesQuery(SyncQuery, frozen=True, kw_only=True):
    user_id: Annotated[UUID, Meta(description="Only this user's.")] | None = None
    course_id: Annotated[UUID, Meta(description="Only this course's.")] | None = None


class StoredCertificate(Struct, frozen=True):
    """A row, without what only its paper shows. `code` is without hyphens; the three of the holder are None
    once that person is erased. `replaced_by` is the certificate that was issued in its place."""

    id: UUID
    code: str
    user_id: UUID
    enrollment_id: UUID
    course_id: UUID
    holder_name: str | None
    holder_cpf_masked: str | None
    course_title: str
    issued_by: str
    locale: Literal["pt-BR", "en"]
    workload_minutes: int
    score: float | None
    completed_at: Timestamp
    issued_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    revoked_by: str | None
    revocation_reason: str | None
    replaced_by: UUID | None
    replaces: UUID | None
    erased_at: Timestamp | None
    file_key: str | None
    file_sha256: bytes | None
    file_size: int | None
    render_error: str | None
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def shown_code(self) -> str:
        return shown_code(self.code)

    @property
    def has_file(self) -> bool:
        return self.file_key is not None and self.erased_at is None

    def status(self, now: Timestamp) -> CertificateStatus:
        return status_of(self.revoked_at, self.expires_at, now)


class Issued(Struct, frozen=True):
    """What was issued to an enrollment, and to whom that is told."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    issued_at: Timestamp
    expires_at: Timestamp | None


class DueNotice(Struct, frozen=True):
    """What is to be told of a certificate, and to whom. `reachable`: the holder is active. `renewable`: they
    could take the course anew, and do not take it yet."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    notice: Notice
    course_title: str
    expires_at: Timestamp | None
    email: str
    name: str
    locale: Literal["pt-BR", "en"]
    time_zone: str
    reachable: bool
    renewable: bool


class PublicCertificate(Struct, frozen=True):
    """What anybody is told who has a certificate's code. `user_name` is null once the holder's personal data
    were erased."""

    verification_code: Annotated[str, _CODE]
    user_name: Annotated[str, Meta(examples=["Ana Lima"])] | None
    holder_cpf: Annotated[str, Meta(examples=["***.***.***-25"])] | None
    course_title: Annotated[str, Meta(examples=["Direção defensiva"])]
    issued_by: Annotated[str, Meta(examples=["Aurora Transportes"])]
    issued_at: Timestamp
    expires_at: Timestamp | None


class Verification(Struct, frozen=True):
    """`reason` says why it is not verified; `certificate` is there for every code that exists."""

    verified: Annotated[bool, Meta(examples=[False])]
    reason: Annotated[Unverified, Meta(examples=["expired"])] | UnsetType = UNSET
    certificate: PublicCertificate | UnsetType = UNSET


class FoundCertificate(Struct, frozen=True):
    """A certificate as it is found without a tenant, by its code or by the bytes of its PDF."""

    tenant_id: UUID
    id: UUID
    code: str
    holder_name: str | None
    holder_cpf_masked: str | None
    course_title: str
    issued_by: str
    workload_minutes: int
    completed_at: Timestamp
    regulation_kind: str | None
    issued_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    replaced_by: UUID | None
    erased_at: Timestamp | None
    file_key: str | None
    signed_by: str | None

    def status(self, now: Timestamp) -> CertificateStatus:
        return status_of(self.revoked_at, self.expires_at, now)


class NewCertificate(Struct, frozen=True):
    """One that is to be issued to a completed enrollment."""

    enrollment_id: UUID
    id: UUID
    code: str
    evidence: Evidence | None


# `renewal` are those whose holders have to take the training again and have not begun to; `failed` those
# whose PDF could not be made.
SearchedStatus = Literal["valid", "expiring", "expired", "renewal", "revoked", "failed"]
Sort = Literal["issued", "-issued"]


class CertificateSearch(ListQuery, frozen=True, kw_only=True):
    """What the panel's list of certificates takes. `-` before a `sort` is descending.

    `q` is a whole code, or finds people as in their list, or courses by their title. `since` and `until` are
    days of issue in the tenant's calendar, both included. `expiring` is listed soonest first, `expired` and
    `renewal` latest first, whatever the `sort`.
    """

    limit: PageSize = 15  # a page with all its words and buttons stays below 120 KB
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    user: UUID | None = None
    course: UUID | None = None
    enrollment: UUID | None = None
    status: SearchedStatus | None = None
    since: date | None = None
    until: date | None = None
    sort: Sort = "-issued"


class ListedCertificate(Struct, frozen=True):
    """A certificate in the panel. The name is that on its paper; None, as the address, of whoever was erased.

    `has_file`: its PDF can be fetched. `failed`: making it was given up.
    """

    id: UUID
    code: str
    user_id: UUID
    enrollment_id: UUID
    holder_name: str | None
    user_email: str | None
    course_id: UUID
    course_title: str
    issued_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    replaced_by: UUID | None
    erased_at: Timestamp | None
    has_file: bool
    failed: bool
    created_at: Timestamp

    @property
    def shown_code(self) -> str:
        return shown_code(self.code)

    def status(self, now: Timestamp) -> CertificateStatus:
        return status_of(self.revoked_at, self.expires_at, now)


class CertificateFile(Struct, frozen=True):
    """What an archive needs of a certificate."""

    id: UUID
    code: str
    holder_name: str
    course_title: str
    issued_at: Timestamp
    file_key: str
    created_at: Timestamp
