"""What a backup consists of."""

from msgspec import Struct

from trilha.core.types import Timestamp


class TableCopy(Struct, frozen=True):
    """The rows of one table, in `parts` objects. `digest` is a sum over the rows, whatever their order."""

    name: str
    columns: list[str]
    rows: int
    digest: str
    parts: int


class StoredFile(Struct, frozen=True):
    """A file of the file store, and the name under which the destination has its content."""

    key: str
    name: str
    size: int


class Manifest(Struct, frozen=True, kw_only=True):
    """Describes a complete backup; it is written last. `proofs` are texts encrypted with the master keys that
    the database needs. The files are listed in `file_lists` objects of their own.
    """

    id: str
    started_at: Timestamp
    finished_at: Timestamp
    version: str
    migrations: list[str]
    proofs: list[str]
    tables: list[TableCopy]
    sequences: dict[str, int]
    files: int
    file_bytes: int
    file_lists: int
    database_bytes: int
    master_key: str | None = None


class BackupResult(Struct, frozen=True):
    """`copied` of the files were not at the destination yet; `vanished` were deleted while the backup ran."""

    id: str
    tables: int
    rows: int
    files: int
    copied: int
    vanished: int
    stored_bytes: int
    seconds: float


class BackupSummary(Struct, frozen=True):
    """A backup as `trilha backup list` shows it."""

    id: str
    finished_at: Timestamp
    version: str
    tables: int
    rows: int
    files: int
    database_bytes: int
    file_bytes: int
    has_master_key: bool


class RestoreResult(Struct, frozen=True):
    id: str
    tables: int
    rows: int
    files: int
    seconds: float


class Check(Struct, frozen=True):
    """`problems` are sentences; none means that the backup can be restored. `evidence_logs` is None if the
    master key is not at hand, so that the logs could not be checked.
    """

    id: str
    tables: int
    rows: int
    files: int
    evidence_logs: int | None
    problems: list[str]
    seconds: float
