"""The settings, and rows of announced erasures."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Timestamp
from trilha.training.record_retention.rules import DEFAULT_YEARS, MAX_YEARS, MIN_UNLIMITED_YEARS, MIN_YEARS

ErasureState = Literal["planned", "erased"]


class RecordSettings(Struct, frozen=True):
    """How many years evidence is kept: after the end of the certificate's validity, and, for certificates
    without one, after their issue. None is the default: two years, and without end.
    """

    record_years: Annotated[int, Meta(ge=MIN_YEARS, le=MAX_YEARS)] | None = None
    unlimited_record_years: Annotated[int, Meta(ge=MIN_UNLIMITED_YEARS, le=MAX_YEARS)] | None = None

    @property
    def years(self) -> int:
        return DEFAULT_YEARS if self.record_years is None else self.record_years


class OverdueRecord(Struct, frozen=True):
    """An enrollment whose evidence is soon kept long enough."""

    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    kept_until: Timestamp


class RecordErasure(Struct, frozen=True):
    """An announced erasure, as administrators see it."""

    enrollment_id: UUID
    user_id: UUID
    user_name: str
    course_id: UUID
    course_title: str
    erase_at: Timestamp
    erased_at: Timestamp | None


class ErasureCounts(Struct, frozen=True):
    planned: int
    erased: int
