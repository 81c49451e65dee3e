"""Packages: what is asked for, how far it is, what was found; and where the files of one are."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.scorm import objects
from trilha.scorm.package.doctor import Verdict
from trilha.scorm.package.extraction import StoredFile
from trilha.scorm.package.manifest import Manifest, Version
from trilha.scorm.package.paths import Lookup
from trilha.scorm.package.report import Severity, Value
from trilha.scorm.rules import State


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that the import doctor tells, in English. `what` and `fix` are also in `words`, by the code,
    with `values` to be put in; `where` is a path in the package, or empty."""

    severity: Severity
    code: str
    what: str
    where: str
    fix: str
    values: dict[str, Value]


class Report(Struct, frozen=True, kw_only=True):
    """What the import doctor tells. `tool` made the package; `hosts` are other servers it loads from."""

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
    """How far an import is, in percent, and what came of it. `created_by` is whom the audit record names."""

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
    """Where a file is kept, and as what it is served. `encoding` is a Content-Encoding, or empty."""

    key: str
    size: int
    media_type: str
    encoding: str


class Contents:
    """What a READY package holds. Nothing of it changes, so that it may be kept in memory."""

    def __init__(
        self, tenant_id: UUID, sha256: str, manifest: Manifest, files: dict[str, StoredFile]
    ) -> None:
        self.manifest = manifest
        self._folder = objects.folder(tenant_id, sha256)
        self._lookup = Lookup(files)

    def find_file(self, path: str) -> PackageFile | None:
        """By its path in the package, unquoted, whatever the case of its letters."""
        found = self._lookup.find(path)
        if found is None:
            return None
        return PackageFile(objects.key(self._folder, found.number), found.size, found.type, found.encoding)


class KeptArchive(Struct, frozen=True):
    """A file that was sent, in the file store. `id` will be the package's."""

    id: UUID
    key: str
    sha256: str
    size: int


class RunningImport(Struct, frozen=True):
    """What the worker has to know of an import that it has taken."""

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
