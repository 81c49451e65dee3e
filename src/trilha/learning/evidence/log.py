"""The log of an enrollment: what was done, in order, each entry bound to the one before it by a keyed hash.

Who can write to the database but has not the master key can neither change an entry nor take one out
without its being seen.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.secrets import Keyring
from trilha.core.types import Timestamp, to_json
from trilha.learning.evidence.schema import Entry, LogHead, LogKind


def hash_entry(keyring: Keyring, enrollment_id: UUID, entry: Entry, before: bytes) -> bytes:
    fields = (entry.number, entry.kind, entry.launch_id, entry.at, entry.detail)
    parts = (str(each).encode() for each in (enrollment_id, *fields))
    return keyring.mac(b"learning_log", before, *parts)


class Draft(Struct, frozen=True):
    """What is to be written down."""

    kind: LogKind
    launch_id: UUID | None
    detail: dict[str, Any]


def build_entry(keyring: Keyring, head: LogHead, draft: Draft, now: datetime) -> Entry:
    """The next one after `head`."""
    detail = to_json(draft.detail).decode()
    bare = Entry(head.number + 1, draft.kind, draft.launch_id, Timestamp.of(now), detail, b"")
    return structs.replace(bare, hash=hash_entry(keyring, head.enrollment_id, bare, head.hash))


async def append(tx: Tx, head: LogHead, kind: LogKind, launch_id: UUID | None, **detail: Any) -> LogHead:
    """The new head. `head` is locked by this transaction; its other figures are written with it."""
    entry = build_entry(tx.keyring, head, Draft(kind, launch_id, detail), tx.now)
    head = structs.replace(head, number=entry.number, hash=entry.hash)
    await tx.execute(
        """
        WITH added AS (
            INSERT INTO learning_log (tenant_id, enrollment_id, number, kind, launch_id, at, detail, hash)
            VALUES (:tenant, :enrollment_id, :number, :kind, :launch_id, :at, :detail, :hash))
        UPDATE learning_heads SET number = :number, hash = :hash, credited_seconds = :credited_seconds,
                                  told_progress = :told_progress, told_at = :told_at
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        **{
            name: getattr(head, name)
            for name in ("enrollment_id", "credited_seconds", "told_progress", "told_at")
        },
        **structs.asdict(entry),
    )
    return head


def find_first_broken(
    keyring: Keyring, enrollment_id: UUID, entries: Iterable[Entry], before: Entry | None
) -> tuple[int, str] | None:
    """The number of the first entry that does not follow from the one before it, and what is wrong."""
    last = before or Entry(0, "launched", None, Timestamp(""), "", b"")
    for entry in entries:
        if entry.number != last.number + 1:
            return last.number + 1, "missing"
        if hash_entry(keyring, enrollment_id, entry, last.hash) != entry.hash:
            return entry.number, "changed"
        last = entry
    return None
