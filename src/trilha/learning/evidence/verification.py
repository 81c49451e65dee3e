"""The proof of what was learnt: whether a log is as it was written."""

import math
from collections.abc import AsyncIterator
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.learning.evidence import log, queries
from trilha.learning.evidence.schema import Entry, LogHead, Verification

_PAGE = 500


async def verify(tx: Tx, enrollment_id: UUID) -> Verification:
    """Reads the whole log. Raises NotFound (enrollment_not_found) for an enrollment that has none."""
    head = await queries.find_head(tx, enrollment_id)
    if head is None:
        raise NotFound("enrollment_not_found")
    last: Entry | None = None
    completed: Entry | None = None
    credited = 0.0
    while True:
        page = await queries.list_entries(tx, enrollment_id, last.number if last else 0, _PAGE)
        if broken := log.find_first_broken(tx.keyring, enrollment_id, page, last):
            return _build_verification(head, *broken)
        completed = next((each for each in page if each.kind == "completed"), completed)
        credited += sum(_read_credited_seconds(entry) for entry in page)
        last = page[-1] if page else last
        if len(page) < _PAGE:
            return _compare_with_head(head, last, completed, credited)


async def verify_all(tx: Tx) -> AsyncIterator[Verification]:
    """Of every enrollment that has a log, in the order of their ids."""
    after = UUID(int=0)
    while found := await queries.list_enrollments_with_log(tx, after, _PAGE):
        for enrollment_id in found:
            yield await verify(tx, enrollment_id)
        after = found[-1]


def _compare_with_head(
    head: LogHead, last: Entry | None, completed: Entry | None, credited: float
) -> Verification:
    """The head tells how long the log is, how it ends and what it adds up to."""
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
