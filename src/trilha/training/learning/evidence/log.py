"""The log of an enrollment: every entry is bound to the previous one by a keyed hash.

Somebody who can write to the database but does not have the master key can neither change nor remove an
entry without the verification noticing.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.secrets import Keyring
from trilha.core.types import Timestamp, to_json
from trilha.training.learning.evidence.schema import Change, Entry, LogHead, LogKind

# Entries of these kinds are frequent, and no statement is about them.
_NOT_IN_OUTBOX = ("beat", "voice")
_PUT_IN_OUTBOX = Change(
    """
    INSERT INTO statement_outbox (tenant_id, at, enrollment_id, number)
    VALUES (:tenant, :at, :enrollment_id, :number)
    """,
    {},
)


async def append(
    tx: Tx,
    head: LogHead,
    kind: LogKind,
    launch_id: UUID | None,
    changes: Sequence[Change] = (),
    **detail: Any,
) -> LogHead:
    """Appends an entry and returns the new head.

    This transaction must hold the lock of `head`. The other figures of `head` are stored with it. The
    `changes` that the entry is about run in the same statement, because the round trips are most of what a
    report costs; no change sees what another one writes.
    """
    if head.has_outbox and kind not in _NOT_IN_OUTBOX:
        changes = [*changes, _PUT_IN_OUTBOX]
    sent_along = "".join(f"change_{n} AS ({change.sql}), " for n, change in enumerate(changes))
    params = {name: value for change in changes for name, value in change.params.items()}
    bare = Entry(head.number + 1, kind, launch_id, Timestamp.of(tx.now), to_json(detail).decode(), b"")
    entry = structs.replace(bare, hash=hash_entry(tx.keyring, head.enrollment_id, bare, head.hash))
    await tx.execute(
        f"""
        WITH {sent_along}added AS (
            INSERT INTO learning_log (tenant_id, enrollment_id, number, kind, launch_id, at, detail, hash)
            VALUES (:tenant, :enrollment_id, :number, :kind, :launch_id, :at, :detail, :hash))
        UPDATE learning_heads SET number = :number, hash = :hash, credited_seconds = :credited_seconds,
                                  told_progress = :emitted_progress, told_at = :emitted_at
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,  # noqa: S608
        **params
        | structs.asdict(entry)
        | {
            "enrollment_id": head.enrollment_id,
            "credited_seconds": head.credited_seconds,
            "emitted_progress": head.emitted_progress,
            "emitted_at": head.emitted_at,
        },
    )
    return structs.replace(head, number=entry.number, hash=entry.hash)


async def append_to_each(tx: Tx, kind: LogKind, details: Sequence[tuple[LogHead, dict[str, Any]]]) -> None:
    """Appends one entry to each of several logs. This transaction must hold the locks of all heads."""
    entries = []
    for head, detail in details:
        bare = Entry(head.number + 1, kind, None, Timestamp.of(tx.now), to_json(detail).decode(), b"")
        hash = hash_entry(tx.keyring, head.enrollment_id, bare, head.hash)
        entries.append((head.enrollment_id, structs.replace(bare, hash=hash)))
    await tx.execute(
        """
        WITH added AS (
            INSERT INTO learning_log (tenant_id, enrollment_id, number, kind, at, detail, hash)
            SELECT :tenant, entry.id, entry.number, CAST(:kind AS text), CAST(:at AS timestamptz),
                   entry.detail, entry.hash
            FROM unnest(:ids::uuid[], :numbers::int[], :details::text[], :hashes::bytea[])
                 AS entry (id, number, detail, hash)
            RETURNING enrollment_id, number, hash)
        UPDATE learning_heads SET number = added.number, hash = added.hash FROM added
        WHERE learning_heads.tenant_id = :tenant AND learning_heads.enrollment_id = added.enrollment_id
        """,
        kind=kind,
        at=Timestamp.of(tx.now),
        ids=[id for id, _ in entries],
        numbers=[entry.number for _, entry in entries],
        details=[entry.detail for _, entry in entries],
        hashes=[entry.hash for _, entry in entries],
    )
    if outgoing := [
        (head, entry) for (head, _), (_, entry) in zip(details, entries, strict=True) if head.has_outbox
    ]:
        await tx.execute(
            """
            INSERT INTO statement_outbox (tenant_id, at, enrollment_id, number)
            SELECT :tenant, CAST(:at AS timestamptz), entry.id, entry.number
            FROM unnest(:ids::uuid[], :numbers::int[]) AS entry (id, number)
            RETURNING tenant_id
            """,
            at=Timestamp.of(tx.now),
            ids=[head.enrollment_id for head, _ in outgoing],
            numbers=[entry.number for _, entry in outgoing],
        )


def find_first_broken(
    keyring: Keyring, enrollment_id: UUID, entries: Iterable[Entry], before: Entry | None
) -> tuple[int, str] | None:
    """Returns the number of the first entry that does not follow from the previous one, and the problem."""
    last = before or Entry(0, "launched", None, Timestamp(""), "", b"")
    for entry in entries:
        if entry.number != last.number + 1:
            return last.number + 1, "missing"
        if hash_entry(keyring, enrollment_id, entry, last.hash) != entry.hash:
            return entry.number, "changed"
        last = entry
    return None


def hash_entry(keyring: Keyring, enrollment_id: UUID, entry: Entry, before: bytes) -> bytes:
    """Returns the hash of an entry that follows the one with the hash `before`."""
    fields = (entry.number, entry.kind, entry.launch_id, entry.at, entry.detail)
    parts = (str(field).encode() for field in (enrollment_id, *fields))
    return keyring.mac(b"learning_log", before, *parts)
