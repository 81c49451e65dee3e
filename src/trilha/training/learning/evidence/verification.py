"""Verifies that nobody has changed the log of an enrollment since it was written."""

import hashlib
import math
from collections.abc import AsyncIterator
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.platform.tenants.deletion.schema import EvidenceSummary
from trilha.training.learning.evidence import log, queries
from trilha.training.learning.evidence.schema import Entry, LogHead, Verification

_PAGE = 500


async def verify(tx: Tx, enrollment_id: UUID) -> Verification:
    """Verifies a whole log. Raises NotFound (enrollment_not_found) if the enrollment has no log."""
    head = await queries.find_head(tx, enrollment_id)
    if head is None:
        raise NotFound("enrollment_not_found")
    if head.retired_at is not None:
        return _build_verification(head, problem="retired")
    last: Entry | None = None
    completed: Entry | None = None
    credited = 0.0
    while True:
        page = await queries.list_entries(tx, enrollment_id, last.number if last else 0, _PAGE)
        if broken := log.find_first_broken(tx.keyring, enrollment_id, page, last):
            return _build_verification(head, *broken)
        completed = next((entry for entry in page if entry.kind == "completed"), completed)
        credited += sum(_read_credited_seconds(entry) for entry in page)
        last = page[-1] if page else last
        if len(page) < _PAGE:
            return _compare_with_head(head, last, completed, credited)


async def verify_all(tx: Tx) -> AsyncIterator[Verification]:
    """Verifies every log of the tenant, in the order of the enrollments' ids."""
    after = UUID(int=0)
    while ids := await queries.list_enrollments_with_log(tx, after, _PAGE):
        for enrollment_id in ids:
            yield await verify(tx, enrollment_id)
        after = ids[-1]


async def summarize(tx: Tx) -> EvidenceSummary:
    """Hashes the last hash of every log, in the order of the enrollments' ids."""
    digest, logs, entries, after = hashlib.sha256(), 0, 0, UUID(int=0)
    while heads := await queries.list_last_hashes(tx, after, _PAGE):
        for head in heads:
            digest.update(head["enrollment_id"].bytes + head["number"].to_bytes(8) + head["hash"])
        logs, entries = logs + len(heads), entries + sum(head["number"] for head in heads)
        after = heads[-1]["enrollment_id"]
    return EvidenceSummary(logs, entries, digest.digest())


def _compare_with_head(
    head: LogHead, last: Entry | None, completed: Entry | None, credited: float
) -> Verification:
    """Compares the entries with the length, the last hash and the total time that the head holds."""
    number, hash = (last.number, last.hash) if last else (0, b"")
    if number < head.number:
        return _build_verification(head, number + 1, "missing")
    if number != head.number or hash != head.hash:
        return _build_verification(head, number, "changed")
    if not math.isclose(credited, head.credited_seconds, abs_tol=0.5):
        return _build_verification(head, number, "hours")
    return _build_verification(head, completed=completed)


def _build_verification(
    head: LogHead, broken_at: int | None = None, problem: str = "", completed: Entry | None = None
) -> Verification:
    number, hash = (completed.number, completed.hash.hex()) if completed else (None, None)
    return Verification(head.enrollment_id, head.number, head.hash.hex(), broken_at, problem, number, hash)


def _read_credited_seconds(entry: Entry) -> float:
    return float(msgspec.json.decode(entry.detail).get("credited", 0)) if entry.kind == "beat" else 0.0
