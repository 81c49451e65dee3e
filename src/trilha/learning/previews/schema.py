"""Previews, with the module that they show."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.courses.schema import ModuleType


class Preview(Struct, frozen=True):
    """A preview with what its module shows now. `sha256` is the digest of the package."""

    id: UUID
    user_id: UUID
    module_id: UUID
    course_id: UUID
    started_at: Timestamp
    type: ModuleType
    title: str
    duration_minutes: int
    required: bool
    content: Any
    body: str | None
    package_id: UUID | None
    sha256: str | None
    seconds: float | None
    pages: int | None
    words: int
