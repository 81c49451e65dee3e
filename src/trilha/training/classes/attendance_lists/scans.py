"""Stores scans of lists on paper, sealed in the file store, until their retention ends."""

import hashlib
from pathlib import Path
from uuid import UUID, uuid4

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, invalid
from trilha.core.file_store import FileStore
from trilha.core.resealing.files import SealedKind
from trilha.core.sealed_files import SealedFiles
from trilha.platform.audit import queries as audit
from trilha.training.classes.attendance_lists import queries
from trilha.training.classes.attendance_lists.schema import SessionHead

MAX_BYTES = 10 * 1024 * 1024
MAX_SCANS = 20
# What the first bytes of a file say about its kind.
_KINDS = ((b"%PDF-", "application/pdf"), (b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"))
SEALED_SCANS = SealedKind(
    name="scans of attendance lists",
    select="""
        SELECT id FROM attendance_scans
        WHERE tenant_id = :tenant AND id > :after AND removed_at IS NULL AND erased_at IS NULL
        ORDER BY id LIMIT :limit FOR NO KEY UPDATE
    """,
    key=lambda tenant_id, row: build_key(tenant_id, row["id"]),
)


class NewScan(Struct, frozen=True):
    """An uploaded file that was looked at."""

    name: str
    media_type: str
    content: bytes


def of_tenant(tenant_id: UUID) -> str:
    return f"attendance-scans/{tenant_id}"


def build_key(tenant_id: UUID, scan_id: UUID) -> str:
    return f"{of_tenant(tenant_id)}/{scan_id}"


def read(path: Path, size: int, filename: str) -> NewScan:
    """Reads an uploaded file. Its content says what it is. Raises Invalid (scan_not_readable)."""
    if not 0 < size <= MAX_BYTES:
        raise invalid("file", "scan_not_readable")
    content = path.read_bytes()
    for start, media_type in _KINDS:
        if content.startswith(start):
            name = "".join(each for each in filename if each.isprintable()).strip()[-120:]
            return NewScan(name or "scan", media_type, content)
    raise invalid("file", "scan_not_readable")


def check_number(scans: int) -> None:
    """Raises BusinessRule (too_many_scans) if a session with so many files gets no further one."""
    if scans >= MAX_SCANS:
        raise BusinessRule("too_many_scans")


async def add(tx: Tx, files: FileStore, session: SessionHead, user_id: UUID, scan: NewScan) -> UUID:
    """Raises BusinessRule (too_many_scans)."""
    check_number(await queries.count_scans(tx, session.id))
    id, digest = uuid4(), hashlib.sha256(scan.content).hexdigest()
    await SealedFiles(files, tx.keyring).put(build_key(tx.tenant_id, id), scan.content)
    await queries.insert_scan(
        tx, id, session.id, scan.name, scan.media_type, len(scan.content), digest, user_id
    )
    await audit.record(
        tx,
        "attendance.scan_added",
        session.id,
        session.title,
        class_id=session.class_id,
        scan_id=id,
        digest=digest,
        bytes=len(scan.content),
    )
    return id


async def remove(tx: Tx, files: FileStore, session: SessionHead, scan_id: UUID, reason: str) -> None:
    """Deletes the file. The reason and the digest stay. Raises NotFound."""
    scan = await queries.get_scan(tx, session.id, scan_id)
    await queries.remove_scan(tx, scan_id, reason)
    await audit.record(
        tx,
        "attendance.scan_removed",
        session.id,
        session.title,
        class_id=session.class_id,
        scan_id=scan_id,
        digest=scan.digest,
    )
    await SealedFiles(files, tx.keyring).delete(build_key(tx.tenant_id, scan_id))
