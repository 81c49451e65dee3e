"""The contents of an evidence file."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp


class Facts(Struct, frozen=True):
    """An enrollment with its person, course and certificate. `certificate_entry` and `certificate_hash`
    identify the log entry for which the certificate was issued.
    """

    enrollment_id: UUID
    status: str
    progress: float
    score: float | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    user_id: UUID
    user_name: str
    cpf: str | None
    course_id: UUID
    course_title: str
    regulation: Any
    tenant_name: str
    tenant_slug: str
    credited_seconds: float | None
    certificate_code: str | None
    certificate_issued_at: Timestamp | None
    certificate_expires_at: Timestamp | None
    certificate_entry: int | None
    certificate_hash: bytes | None


class Day(Struct, frozen=True):
    """The log's figures for one day."""

    day: str
    entries: int
    seconds: float


class Evidence(Struct, frozen=True):
    """A whole evidence file without its log."""

    facts: Facts
    entries: int
    problem: str
    digest: str
    days: list[Day]
