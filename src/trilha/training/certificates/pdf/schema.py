"""The data from which certificates are rendered."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.kit.page import Locale


class SyllabusLine(Struct, frozen=True):
    title: str
    minutes: int


class Facts(Struct, frozen=True, kw_only=True):
    """What a certificate says of a completion. `cpf` is unmasked; `score` is 0 to 100."""

    code: str
    name: str | None
    cpf: str | None
    course: str
    company: str
    locale: Locale
    workload_minutes: int
    score: float | None
    started_at: datetime
    completed_at: datetime
    issued_at: datetime
    expires_at: datetime | None
    regulation_kind: str | None
    syllabus: tuple[SyllabusLine, ...]
    evidence_number: int | None
    evidence_hash: bytes | None
    url: str


class Company(Struct, frozen=True):
    """The company's own settings. `logo` is the image's bytes."""

    slug: str
    name: str
    locale: Locale
    time_zone: str
    brand_colour: str | None
    logo_name: str | None
    logo: bytes | None


class ClaimedCertificate(Struct, frozen=True):
    """A certificate that this worker has claimed."""

    id: UUID
    code: str
    user_id: UUID
    holder_name: str | None
    holder_cpf: bytes | None
    course_id: UUID
    course_title: str
    issued_by: str
    locale: Locale
    workload_minutes: int
    score: float | None
    started_at: Timestamp
    completed_at: Timestamp
    regulation_kind: str | None
    syllabus: list[dict[str, object]]
    evidence_number: int | None
    evidence_hash: bytes | None
    paper: dict[str, object]
    issued_at: Timestamp
    expires_at: Timestamp | None
    badge_index: int
    render_tries: int


class StoredRendering(Struct, frozen=True):
    """The stored result of rendering. `badge` is the signed credential."""

    id: UUID
    key: str
    sha256: bytes
    size: int
    badge: str | None
    signed_by: str | None
