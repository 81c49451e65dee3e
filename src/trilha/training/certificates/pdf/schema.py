"""The data from which certificates are rendered."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.kit.page import Locale
from trilha.training.courses.schema import Delivery, WorkloadKind


class SyllabusLine(Struct, frozen=True):
    """A module. Certificates from before version 1.9 do not know the kind and the delivery."""

    title: str
    minutes: int
    kind: WorkloadKind | None = None
    delivery: Delivery | None = None


class AttendedSession(Struct, frozen=True):
    """A session of a class that the holder attended, for so many minutes."""

    title: str
    starts_at: datetime
    ends_at: datetime
    time_zone: str
    room: str | None
    minutes: int


class Qualification(Struct, frozen=True):
    title: str
    issuing_body: str = ""
    register_number: str | None = None


class Instructor(Struct, frozen=True):
    name: str
    qualifications: tuple[Qualification, ...] = ()


class Responsible(Struct, frozen=True):
    """Who is responsible for the course, with their profession and its register."""

    name: str = ""
    role: str = ""
    register_number: str = ""


class HolderSignature(Struct, frozen=True):
    """The holder's last signature in the training: drawn, or by a passkey. `strokes` are those of a drawing
    that was not erased.
    """

    id: UUID
    kind: str
    signed_at: datetime
    strokes: list[list[int]] = []


class Training(Struct, frozen=True):
    """The classes and the people behind a completion; empty on certificates from before they were kept."""

    sessions: tuple[AttendedSession, ...] = ()
    instructors: tuple[Instructor, ...] = ()
    responsible: Responsible | None = None
    signature: HolderSignature | None = None


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
    training: Training = Training()
    project_version: int | None = None


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
    training: dict[str, object]
    project_version: int | None
    evidence_number: int | None
    evidence_hash: bytes | None
    paper: dict[str, object]
    issued_at: Timestamp
    expires_at: Timestamp | None
    badge_index: int
    render_tries: int


class StoredPaper(Struct, frozen=True):
    """A further form of a certificate in the file store."""

    file_key: str
    file_sha256: bytes
    file_size: int
    signed_by: str | None


class StoredRendering(Struct, frozen=True):
    """The stored result of rendering. `badge` is the signed credential."""

    id: UUID
    key: str
    sha256: bytes
    size: int
    badge: str | None
    signed_by: str | None
