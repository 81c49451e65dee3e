"""Input, output and stored types of certificates, and the result of verifying one."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.moments import Day
from trilha.core.types import STORABLE, InvalidValue, Text, Timestamp
from trilha.core.web.pagination import ListQuery, PageSize, SyncQuery
from trilha.training.certificates.rules import CertificateStatus, Notice, format_code, status_of
from trilha.training.enrollments.schema import Percent

VerificationFailure = Literal["not_found", "revoked", "expired"]
_CODE = Meta(examples=["7K2M-9QXR-4TVB-H3NC"])


class Reason(Text):
    """Why a certificate is revoked: 1 to 500 characters after trimming."""

    __slots__ = ()
    schema = {"type": "string", "minLength": 1, "maxLength": 500}
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        reason = " ".join(text.split())
        if not reason:
            raise InvalidValue("too_short")
        if len(reason) > 500:
            raise InvalidValue("too_long")
        if "\x00" in reason:
            raise InvalidValue("invalid_text")
        return reason


class Evidence(Struct, frozen=True):
    """The log entry of the completion: its number and keyed hash."""

    number: int
    hash: bytes


class Certificate(Struct, frozen=True):
    """Proof of a completed course. `pdf_url` is null until the PDF exists (PDF/A-3b); `pdf_a1b_url` leads to
    the same certificate as PDF/A-1b, which is made at the first request. The links are valid for 15 minutes.
    """

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
    pdf_a1b_url: (
        Annotated[
            str,
            Meta(examples=["https://learn.example.com/certificates/4c5e/9d1f/certificate-pdfa1b.pdf?..."]),
        ]
        | None
    )
    issued_at: Timestamp
    expires_at: Timestamp | None
    verification_url: Annotated[str, Meta(examples=["https://learn.example.com/verify/7K2M-9QXR-4TVB-H3NC"])]


class HeldCertificate(Certificate, frozen=True):
    """A certificate as its holder reads it, with everything that it says."""

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
    user_id: Annotated[UUID, Meta(description="Only certificates of this user.")] | None = None
    course_id: Annotated[UUID, Meta(description="Only certificates of this course.")] | None = None


class StoredCertificate(Struct, frozen=True):
    """A stored certificate, without the fields that only the PDF shows. `code` has no hyphens.
    `holder_name` and
    `holder_cpf_masked` are None after the holder's data was erased. `replaced_by` is the certificate that
    replaces it.
    """

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
    def display_code(self) -> str:
        return format_code(self.code)

    @property
    def has_file(self) -> bool:
        return self.file_key is not None and self.erased_at is None

    def status(self, now: Timestamp) -> CertificateStatus:
        return status_of(self.revoked_at, self.expires_at, now)


class IssuedCertificate(Struct, frozen=True):
    """A newly issued certificate, with the data of its event."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    issued_at: Timestamp
    expires_at: Timestamp | None


class DueNotice(Struct, frozen=True):
    """A due notification about a certificate, and its recipient. `reachable`: the holder is active.
    `renewable`: the holder could take the course again and has not begun to.
    """

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
    """The public details of a certificate. `user_name` is null after the holder's personal data was
    erased.
    """

    verification_code: Annotated[str, _CODE]
    user_name: Annotated[str, Meta(examples=["Ana Lima"])] | None
    holder_cpf: Annotated[str, Meta(examples=["***.***.***-25"])] | None
    course_title: Annotated[str, Meta(examples=["Direção defensiva"])]
    issued_by: Annotated[str, Meta(examples=["Aurora Transportes"])]
    issued_at: Timestamp
    expires_at: Timestamp | None


class Verification(Struct, frozen=True):
    """The result of verifying a certificate. `reason` says why verification failed. `certificate` is present
    for every existing code.
    """

    verified: Annotated[bool, Meta(examples=[False])]
    reason: Annotated[VerificationFailure, Meta(examples=["expired"])] | UnsetType = UNSET
    certificate: PublicCertificate | UnsetType = UNSET


class CertificateMatch(Struct, frozen=True):
    """A certificate that was looked up without a tenant, by its code or by its PDF's bytes."""

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
    """A certificate to issue to a completed enrollment."""

    enrollment_id: UUID
    id: UUID
    code: str
    evidence: Evidence | None
    expires_at: datetime | None


# `renewal`: the holders have to take the training again and have not started. `failed`: the PDF could not be
# created.
SearchedStatus = Literal["valid", "expiring", "expired", "renewal", "revoked", "failed"]
Sort = Literal["issued", "-issued"]


class CertificateSearch(ListQuery, frozen=True, kw_only=True):
    """The parameters of the panel's list of certificates. A `sort` that begins with `-` is descending.

    `q` is a whole code, or searches people and courses as their lists do. `since` and `until` are dates of
    issue in the tenant's calendar, both included. `expiring` is sorted soonest first, `expired` and `renewal`
    latest first, whatever the `sort`.
    """

    limit: PageSize = 15  # so that a page with all its texts and buttons stays below 120 KB
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    user: UUID | None = None
    course: UUID | None = None
    enrollment: UUID | None = None
    status: SearchedStatus | None = None
    since: Day | None = None
    until: Day | None = None
    sort: Sort = "-issued"


class ListedCertificate(Struct, frozen=True):
    """A certificate in the panel's list, under the name that is printed on it. The name and the e-mail
    address are None after the holder was erased.

    `has_file`: the PDF can be downloaded. `failed`: the PDF failed permanently.
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
    def display_code(self) -> str:
        return format_code(self.code)

    def status(self, now: Timestamp) -> CertificateStatus:
        return status_of(self.revoked_at, self.expires_at, now)


class CertificateFile(Struct, frozen=True):
    """A certificate to add to an archive."""

    id: UUID
    code: str
    holder_name: str
    course_title: str
    issued_at: Timestamp
    file_key: str
    created_at: Timestamp
