"""Exports, in and out."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct, field

from trilha.core.types import Timestamp
from trilha.enrollments.schema import StatusFilter

ExportType = Literal["csv", "xlsx", "parquet"]
ExportStatus = Literal["PENDING", "RUNNING", "READY", "FAILED"]
OfCourse = Annotated[UUID | None, Meta(description="Only this course's.")]
InState = Annotated[StatusFilter | None, Meta(description="Only those in these states, separated by commas.")]


class ExportFilters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which enrollments; all of them where nothing is said."""

    course_id: OfCourse = None
    status: InState = None


class CsvQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: Annotated[Literal["csv"], Meta(description="The form of the file.")] = "csv"
    course_id: Annotated[UUID, Meta(description="Only this course's.")] | None = None
    status: (
        Annotated[StatusFilter, Meta(description="Only those in these states, separated by commas.")] | None
    ) = None


class NewExport(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: ExportType
    filters: ExportFilters = field(default_factory=ExportFilters)


class RequestedExport(Struct, frozen=True):
    """One that was asked for."""

    id: UUID
    status: Annotated[ExportStatus, Meta(examples=["PENDING"])]


class Export(Struct, frozen=True):
    """`rows` are those that were read so far. `url` is there once it is READY, and good for 15 minutes: ask
    again for another. At `expires_at` the file is removed."""

    id: UUID
    status: Annotated[ExportStatus, Meta(examples=["READY"])]
    rows: Annotated[int, Meta(ge=0, examples=[128400])]
    url: (
        Annotated[
            str, Meta(examples=["https://learn.example.com/exports/1"], extra_json_schema={"format": "uri"})
        ]
        | None
    )
    expires_at: Timestamp | None


class StoredExport(Struct, frozen=True):
    """One as it is stored. `progress` is in percent."""

    id: UUID
    type: ExportType
    status: ExportStatus
    rows: int
    progress: int
    file_key: str | None
    file_size: int | None
    file_sha256: bytes | None
    user_id: UUID | None
    created_at: Timestamp
    expires_at: Timestamp | None


class RunningExport(Struct, frozen=True):
    """One that a worker has taken. `tries` says for which time."""

    id: UUID
    type: ExportType
    wanted: dict[str, Any]
    tries: int
