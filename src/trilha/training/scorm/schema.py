"""Packages: requests, imports and findings, and the files of a package."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.training.scorm import objects
from trilha.training.scorm.package.doctor import Verdict
from trilha.training.scorm.package.extraction import StoredFile
from trilha.training.scorm.package.manifest import Manifest, Version
from trilha.training.scorm.package.paths import Lookup
from trilha.training.scorm.package.report import Severity, Value
from trilha.training.scorm.rules import State


class Finding(Struct, frozen=True, kw_only=True):
    """One finding of the import, in English. `what` and `fix` are also in `words`, by the code, with
    `values` to fill in; `where` is a path in the package, or empty.
    """

    severity: Severity
    code: str
    what: str
    where: str
    fix: str
    values: dict[str, Value]


class Report(Struct, frozen=True, kw_only=True):
    """The report of the import. `tool` made the package; `hosts` are other servers from which it loads
    something.
    """

    verdict: Verdict
    version: Version | None
    edition: str
    tool: str
    scos: int
    assets: int
    files: int
    size: int
    hosts: Sequence[str]
    findings: Sequence[Finding]


class Package(Struct, frozen=True):
    """An import with its progress in percent and its result. `created_by` is the person that the audit
    log names.
    """

    id: UUID
    title: str
    state: State
    progress: int
    version: Version | None
    edition: str
    file_name: str
    size: int
    sha256: str
    report: Report | None
    created_by: str
    created_at: Timestamp
    finished_at: Timestamp | None


class PackageFile(Struct, frozen=True):
    """The key of a stored file and its media type. `encoding` is a Content-Encoding, or empty."""

    key: str
    size: int
    media_type: str
    encoding: str


class Contents:
    """The contents of a READY package. They never change, so they can be cached."""

    def __init__(
        self, tenant_id: UUID, sha256: str, manifest: Manifest, files: dict[str, StoredFile]
    ) -> None:
        self.manifest = manifest
        self._folder = objects.folder(tenant_id, sha256)
        self._lookup = Lookup(files)

    def find_file(self, path: str) -> PackageFile | None:
        """Finds a file by its unquoted path in the package, ignoring case."""
        found = self._lookup.find(path)
        if found is None:
            return None
        return PackageFile(objects.key(self._folder, found.number), found.size, found.type, found.encoding)


class StoredArchive(Struct, frozen=True):
    """An uploaded file in the file store. `id` becomes the package's id."""

    id: UUID
    key: str
    sha256: str
    size: int


class RunningImport(Struct, frozen=True):
    """An import that this worker has claimed."""

    id: UUID
    archive: str
    sha256: str
    file_name: str
    state: State
    tries: int
    actor_kind: str
    actor: str
    source: str


class PackageQuery(ListQuery, frozen=True, kw_only=True):
    """Newest first."""

    state: State | None = None
