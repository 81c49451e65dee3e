"""Input and output types of exports."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct, field

from trilha.core.types import Timestamp
from trilha.training.enrollments.schema import StatusFilter

ExportType = Literal["csv", "xlsx", "parquet"]
FileType = Literal["csv", "xlsx", "parquet", "pdf", "zip"]
ExportStatus = Literal["PENDING", "RUNNING", "READY", "FAILED"]
OfCourse = Annotated[UUID | None, Meta(description="Only enrollments in this course.")]
InState = Annotated[StatusFilter | None, Meta(description="Only these statuses, separated by commas.")]


class ExportFilters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The enrollments to export; all of them by default."""

    course_id: OfCourse = None
    status: InState = None


class CsvQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: Annotated[Literal["csv"], Meta(description="The file format.")] = "csv"
    course_id: Annotated[UUID, Meta(description="Only enrollments in this course.")] | None = None
    status: Annotated[StatusFilter, Meta(description="Only these statuses, separated by commas.")] | None = (
        None
    )


class NewExport(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: ExportType
    filters: ExportFilters = field(default_factory=ExportFilters)


class RequestedExport(Struct, frozen=True):
    """A newly requested export."""

    id: UUID
    status: Annotated[ExportStatus, Meta(examples=["PENDING"])]


class Export(Struct, frozen=True):
    """An export of enrollments. `rows` is the number read so far. `url` is present once the status is READY
    and is valid for 15 minutes; get the export again for a new link. The file is removed at `expires_at`.
    """

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
    """A stored export. `name` is that of the file, without the ending. `progress` is in percent."""

    id: UUID
    name: str
    type: FileType
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
    """An export that a worker has claimed. `tries` counts from 1."""

    id: UUID
    name: str
    type: FileType
    wanted: dict[str, Any]
    tries: int
