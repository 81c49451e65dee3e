"""Deletions of tenants and their proofs."""

from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp


class EvidenceSummary(Struct, frozen=True):
    """The evidence logs of a tenant. `hash` covers the last hash of each log."""

    logs: int
    entries: int
    hash: bytes


class Inventory(Struct, frozen=True):
    """What a tenant has: rows by table, files of the file store, and evidence logs."""

    row_counts: dict[str, int]
    files: int
    file_bytes: int
    evidence: EvidenceSummary


class Deletion(Struct, frozen=True):
    """A row of tenant_deletions."""

    id: UUID
    deleted_tenant: UUID
    slug: str
    environment: str
    actor: str
    source: str
    started_at: Timestamp
    counted_at: Timestamp | None
    row_counts: dict[str, int] | None
    files: int | None
    file_bytes: int | None
    evidence_logs: int | None
    evidence_entries: int | None
    evidence_hash: bytes | None
    finished_at: Timestamp | None
    number: int | None
    previous: bytes | None
    hash: bytes | None


class DeletionProof(Struct, frozen=True):
    """A finished deletion, as it is printed. `number` counts the finished deletions of the installation.
    `hash` covers everything above it, and `previous`, the hash of the proof before.
    """

    id: UUID
    tenant_id: UUID
    slug: str
    environment: str
    actor: str
    source: str
    started_at: Timestamp
    finished_at: Timestamp
    rows: dict[str, int]
    files: int
    file_bytes: int
    evidence_logs: int
    evidence_entries: int
    evidence_hash: str
    number: int
    previous: str
    hash: str


class DeletionCheck(Struct, frozen=True):
    """A proof and whether it holds. `problems` are sentences; none means that it does."""

    proof: DeletionProof
    problems: list[str]
