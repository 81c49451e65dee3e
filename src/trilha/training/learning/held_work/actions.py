"""Applies reports that a browser has held, under the launch that made them.

The learner's own session vouches for them, so that they may come as late as they like, even after the launch
is over. Whatever a browser sends, nothing raises anything beyond `launch_not_found`: the outcome says why.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import BadRequest, Invalid, NotFound, invalid
from trilha.core.types import Timestamp
from trilha.training.learning.commits import actions as commits
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.schema import LaunchContext
from trilha.training.learning.offline_time import actions as offline_time
from trilha.training.learning.player_reports import queries as report_queries
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.player_reports.schema import Report, ReportKind, ReportResult, UnappliedOutcome
from trilha.training.learning.quizzes import actions as quizzes
from trilha.training.learning.studies import actions as studies
from trilha.training.learning.studies.schema import StudyKind

MAX_BYTES = 2 * 1024 * 1024
_MAX_STUDY_BYTES = 256 * 1024
_MAX_BEATS_BYTES = 1024


class HeldReportResult(Struct, frozen=True):
    """What became of a held report. `done_at` is by the browser's clock."""

    outcome: UnappliedOutcome
    done_at: Timestamp | None
    uncounted: float = 0.0


class _Handler(NamedTuple):
    """How a kind of report is read and applied, and the largest size of its body."""

    read: Callable[[bytes], Any]
    apply: Callable[..., Awaitable[ReportResult]]
    limit: int


def _study(kind: StudyKind) -> _Handler:
    async def apply(tx: Tx, launch_id: UUID, report: Any, *, held: bool) -> ReportResult:
        return await studies.apply_report(tx, launch_id, kind, report, held=held)

    return _Handler(partial(studies.read_report, kind), apply, _MAX_STUDY_BYTES)


_HANDLERS: Mapping[ReportKind, _Handler] = {
    "commit": _Handler(commits.read_commit, commits.apply_commit, MAX_BYTES),
    "answers": _Handler(quizzes.read_answers, quizzes.apply_answers, MAX_BYTES),
    "watched": _study("watched"),
    "dwelled": _study("dwelled"),
    "read": _study("read"),
    "beats": _Handler(offline_time.read_report, offline_time.apply_report, _MAX_BEATS_BYTES),
}


async def get_context(tx: Tx, user_id: UUID, launch_id: UUID) -> LaunchContext:
    """Returns the context of a launch of this person. Raises NotFound (launch_not_found)."""
    if not await launch_queries.is_launched_by(tx, user_id, launch_id):
        raise NotFound("launch_not_found")
    context = await launch_queries.find_context(tx, launch_id)
    assert context is not None
    return context


async def apply_held_report(tx: Tx, launch_id: UUID, kind: ReportKind, raw: bytes) -> HeldReportResult:
    """Applies a report to its own attempt if that would have been possible when it was made.

    Otherwise it is stored for the administrator.
    """
    handler = _HANDLERS[kind]
    try:
        if len(raw) > handler.limit:
            raise invalid("", "too_long")
        report: Report = handler.read(raw)
        result = await handler.apply(tx, launch_id, report, held=True)
    except (BadRequest, Invalid, NotFound):
        return await _store_unreadable(tx, launch_id, kind, raw)
    at = report_rules.compute_done_at(report, tx.now)
    return HeldReportResult(result.outcome, Timestamp.of(at) if at else None, result.uncounted)


async def _store_unreadable(tx: Tx, launch_id: UUID, kind: ReportKind, raw: bytes) -> HeldReportResult:
    """Stores a body that is no report, or none for the type of the launch's module."""
    launch = (await launch_queries.lock_launch(tx, launch_id)).launch
    report = Report(sequence=0, final=False, hash=hashlib.sha256(raw).digest(), raw=raw)
    await report_queries.store_unapplied(tx, launch, kind, "INVALID", report)
    return HeldReportResult("INVALID", None)
