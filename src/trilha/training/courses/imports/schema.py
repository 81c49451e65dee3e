"""Imports of modules: what is sent, and the status of an import."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, get_args
from uuid import UUID

from msgspec import Meta, Struct, convert, structs

from trilha.core.types import Choice, Timestamp, Title
from trilha.core.web.pagination import ListQuery
from trilha.core.web.uploads import UploadedFile
from trilha.training.courses.imports.rules import FileType, ImportStatus
from trilha.training.courses.schema import Delivery, Minutes, WorkloadKind
from trilha.training.scorm.package.doctor import Verdict
from trilha.training.scorm.package.manifest import Version
from trilha.training.scorm.package.report import Severity

_FILE = Meta(
    description="The ZIP file of a package, a PDF, or an MP4 or WebM video, of at most 2 GiB.",
    examples=["%PDF-1.7 …"],
    extra_json_schema={"contentMediaType": "application/octet-stream"},
)


class ModuleFile(Struct, frozen=True, kw_only=True):
    """A new module with its file, as multipart/form-data. The members are those of JSON; `file` takes the
    place of `source_url`.
    """

    title: Title
    type: Annotated[FileType, Meta(examples=["DOCUMENT"])]
    file: Annotated[str, _FILE]
    duration_minutes: Annotated[Minutes, Meta(examples=[10])] | None = None
    required: bool = True
    workload_kind: Annotated[WorkloadKind, Meta(examples=["THEORY"])] | None = None
    delivery: Annotated[Delivery, Meta(examples=["DISTANCE"])] | None = None


class ModuleUpload(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A form with the members of `ModuleFile`."""

    described: ClassVar[type[Struct]] = ModuleFile

    title: Title
    type: FileType
    file: UploadedFile
    duration_minutes: Minutes | None = None
    required: bool = True
    workload_kind: WorkloadKind | None = None
    delivery: Delivery | None = None


class ImportFinding(Struct, frozen=True):
    """One finding: an `error`, because of which the package was refused, a `warning`, or `info`. `where` is a
    path in the package, or empty.
    """

    severity: Annotated[Severity, Meta(examples=["info"])]
    code: Annotated[str, Meta(examples=["nested_folder"])]
    what: Annotated[str, Meta(examples=["The package is in a folder of the ZIP file."])]
    where: Annotated[str, Meta(examples=["curso/imsmanifest.xml"])]
    fix: Annotated[str, Meta(examples=["No action is needed."])]


class ImportReport(Struct, frozen=True):
    """What is in a package, and what was found wrong or repaired. `tool` made the package; `scos` and
    `assets` are its parts with and without progress; `hosts` are other servers from which it loads something.
    """

    verdict: Annotated[Verdict, Meta(examples=["accepted"])]
    version: Annotated[Version, Meta(examples=["1.2"])] | None
    edition: Annotated[str, Meta(examples=["1.2"])]
    tool: Annotated[str, Meta(examples=["Articulate Storyline"])]
    scos: Annotated[int, Meta(ge=0, examples=[1])]
    assets: Annotated[int, Meta(ge=0, examples=[0])]
    files: Annotated[int, Meta(ge=0, examples=[48])]
    size: Annotated[int, Meta(ge=0, examples=[5242880])]
    hosts: Annotated[Sequence[str], Meta(examples=[[]])]
    findings: Sequence[ImportFinding]


class ImportFailure(Struct, frozen=True):
    """Why an import failed."""

    code: Annotated[str, Meta(examples=["unexpected_status"])]
    message: Annotated[str, Meta(examples=["The server did not answer with the file (status 200)."])]


class ModuleImport(Struct, frozen=True):
    """The import of a package, document or video as modules of a course. `module_ids` are the modules that it
    has added: one for each part of a package. A package has a `report` once it is read. A FAILED import has
    an `error`; to try again, send the module again.
    """

    id: UUID
    course_id: UUID
    type: Annotated[FileType, Meta(examples=["SCORM"])]
    status: Annotated[ImportStatus, Meta(examples=["SUCCEEDED"])]
    module_ids: Sequence[UUID]
    report: ImportReport | None
    error: Annotated[ImportFailure | None, Meta(examples=[None])]
    created_at: Timestamp
    updated_at: Timestamp

    def read(self) -> "ModuleImport":
        """Reads the report and the error, which are plain JSON in the database."""
        report = None if self.report is None else convert(self.report, ImportReport)
        error = None if self.error is None else convert(self.error, ImportFailure)
        return structs.replace(self, report=report, error=error)


class ImportStatusFilter(Choice):
    __slots__ = ()
    schema = {
        "type": "string",
        "enum": [*get_args(ImportStatus)],
        "examples": ["FAILED"],
    }


class ModuleImportQuery(ListQuery, frozen=True, kw_only=True):
    course_id: Annotated[UUID, Meta(description="Only imports into this course.")] | None = None
    status: Annotated[ImportStatusFilter, Meta(description="Only imports in this status.")] | None = None


class NewImport(Struct, frozen=True, kw_only=True):
    """A new import. `source_url` is sealed."""

    id: UUID
    course_id: UUID
    type: FileType
    title: str
    duration_minutes: int | None
    required: bool
    workload_kind: WorkloadKind | None = None
    delivery: Delivery | None = None
    file_name: str = ""
    source_url: bytes | None = None


class OpenImport(Struct, frozen=True):
    """An import that has not ended. `source_url` is sealed; None if nothing is to be fetched."""

    id: UUID
    course_id: UUID
    type: FileType
    title: str
    duration_minutes: int | None
    required: bool
    workload_kind: WorkloadKind | None
    delivery: Delivery | None
    file_name: str
    source_url: bytes | None
    tries: int
    actor_kind: str
    actor: str
    source: str
