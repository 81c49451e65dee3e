"""Certificates, as they are read."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Timestamp


class Certificate(Struct, frozen=True):
    id: UUID
    verification_code: Annotated[str, Meta(examples=["7K2M-9QXR-4TVB-H3NC"])]
    user_id: UUID
    enrollment_id: UUID
    course_id: UUID
    pdf_url: Annotated[str, Meta(examples=["https://learn.example.com/files/certificate.pdf?sig=..."])] | None
    issued_at: Timestamp
    expires_at: Timestamp | None
    verification_url: Annotated[str, Meta(examples=["https://learn.example.com/verify/7K2M-9QXR-4TVB-H3NC"])]
