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
from trilha.learning.held_work.schema import Taken
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.schema import Material
from trilha.learning.quizzes import actions as quizzes
from trilha.learning.reports import unapplied
from trilha.learning.reports.schema import Report, ReportKind
from trilha.learning.studies import actions as studies

MOST_BYTES = 2 * 1024 * 1024

_STUDY_BYTES = 256 * 1024


async def take(tx: Tx, launch_id: UUID, kind: ReportKind, raw: bytes) -> Taken:
    """Applies a report to its own attempt, if that could have been done when it was made.

    What can not be applied is kept for the administrator.
    """
    way = _WAYS[kind]
    try:
        if len(raw) > way.most:
            raise invalid("", "too_long")
        sent: Report = way.read(raw)
        done = await way.take(tx, launch_id, sent, held=True)
    except (BadRequest, Invalid, NotFound):
        return await _keep_unreadable(tx, launch_id, kind, raw)
    at = unapplied.done_at(sent, tx.now)
    uncounted = getattr(done, "uncounted", 0.0)
    return Taken(done.outcome, Timestamp.of(at) if at else None, uncounted)


class _Way(NamedTuple):
    """How a kind of report is read and taken, and how large it may be."""

    read: Callable[[bytes], Any]
    take: Callable[..., Awaitable[Any]]
    most: int


_WAYS: Mapping[ReportKind, _Way] = {
    "commit": _Way(commits.read_commit, commits.commit, MOST_BYTES),
    "answers": _Way(quizzes.read_answers, quizzes.answer, MOST_BYTES),
    "watched": _Way(studies.read_watched, studies.watched, _STUDY_BYTES),
    "dwelled": _Way(studies.read_dwelled, studies.dwelled, _STUDY_BYTES),
    "read": _Way(studies.read_read, studies.read, _STUDY_BYTES),
}


async def get_material(tx: Tx, user_id: UUID, launch_id: UUID) -> Material:
    """What a launch of this person is of. Raises NotFound (launch_not_found)."""
    if not await launch_queries.is_launch_of(tx, user_id, launch_id):
        raise NotFound("launch_not_found")
    material = await launch_queries.find_material(tx, launch_id)
    assert material is not None
    return material


async def _keep_unreadable(tx: Tx, launch_id: UUID, kind: ReportKind, raw: bytes) -> Taken:
    """Keeps what is no report, or none of this launch's module."""
    await launch_queries.locked(tx, launch_id)
    launch, _ = await launch_queries.get_launch(tx, launch_id)
    sent = Report(sequence=0, final=False, hash=hashlib.sha256(raw).digest(), raw=raw)
    await unapplied.keep_report(tx, launch, kind, "INVALID", sent)
    return Taken("INVALID", None)
