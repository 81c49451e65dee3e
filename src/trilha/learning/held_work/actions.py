"""Work that a browser had kept on its device and hands over later, under the launch that made it.

The person's own session vouches for it, so that it may come as late as it likes and after the launch is over.
Nothing that a browser can send raises beyond `launch_not_found`: the outcome tells what became of it.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BadRequest, Invalid, NotFound, invalid
from trilha.core.types import Timestamp
from trilha.learning.commits import actions as commits
from trilha.learning.held_work.schema import HeldReportResult
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.schema import LaunchContext
from trilha.learning.quizzes import actions as quizzes
from trilha.learning.reports import unapplied
from trilha.learning.reports.schema import Report, ReportKind
from trilha.learning.studies import actions as studies

MAX_BYTES = 2 * 1024 * 1024

_MAX_STUDY_BYTES = 256 * 1024


async def apply_held_report(tx: Tx, launch_id: UUID, kind: ReportKind, raw: bytes) -> HeldReportResult:
    """Applies a report to its own attempt, if that could have been done when it was made.

    What can not be applied is kept for the administrator.
    """
    way = _HANDLERS[kind]
    try:
        if len(raw) > way.most:
            raise invalid("", "too_long")
        sent: Report = way.read(raw)
        done = await way.take(tx, launch_id, sent, held=True)
    except (BadRequest, Invalid, NotFound):
        return await _store_unreadable(tx, launch_id, kind, raw)
    at = unapplied.compute_done_at(sent, tx.now)
    uncounted = getattr(done, "uncounted", 0.0)
    return HeldReportResult(done.outcome, Timestamp.of(at) if at else None, uncounted)


class _Handler(NamedTuple):
    """How a kind of report is read and taken, and how large it may be."""

    read: Callable[[bytes], Any]
    take: Callable[..., Awaitable[Any]]
    most: int


_HANDLERS: Mapping[ReportKind, _Handler] = {
    "commit": _Handler(commits.read_commit, commits.apply_commit, MAX_BYTES),
    "answers": _Handler(quizzes.read_answers, quizzes.apply_answers, MAX_BYTES),
    "watched": _Handler(studies.read_video_report, studies.apply_video_report, _MAX_STUDY_BYTES),
    "dwelled": _Handler(studies.read_document_report, studies.apply_document_report, _MAX_STUDY_BYTES),
    "read": _Handler(studies.read_article_report, studies.apply_article_report, _MAX_STUDY_BYTES),
}


async def get_context(tx: Tx, user_id: UUID, launch_id: UUID) -> LaunchContext:
    """What a launch of this person is of. Raises NotFound (launch_not_found)."""
    if not await launch_queries.is_launched_by(tx, user_id, launch_id):
        raise NotFound("launch_not_found")
    material = await launch_queries.find_context(tx, launch_id)
    assert material is not None
    return material


async def _store_unreadable(tx: Tx, launch_id: UUID, kind: ReportKind, raw: bytes) -> HeldReportResult:
    """Keeps what is no report, or none of this launch's module."""
    await launch_queries.lock_launch(tx, launch_id)
    launch, _ = await launch_queries.get_launch(tx, launch_id)
    sent = Report(sequence=0, final=False, hash=hashlib.sha256(raw).digest(), raw=raw)
    await unapplied.store_unapplied(tx, launch, kind, "INVALID", sent)
    return HeldReportResult("INVALID", None)
