"""Certificates, as they are read."""

from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp


class Certificate(Struct, frozen=True):
    id: UUID
    verification_code: str
    user_id: UUID
    enrollment_id: UUID
    course_id: UUID
    pdf_url: str | None
    issued_at: Timestamp
    expires_at: Timestamp | None
    verification_url: str
