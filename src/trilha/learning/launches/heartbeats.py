"""Heartbeats and traces of launches."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.enrollments.schema import EnrollmentStatus
from trilha.learning.completion import actions as completion
from trilha.learning.evidence import log
from trilha.learning.launches import clock_queries, queries, rules
from trilha.learning.launches.schema import Beat


async def heartbeat(tx: Tx, launch_id: UUID, *, visible: bool, base: int | None = None) -> Beat:
    """`visible`: the page was seen ever since the last heartbeat; `base` as with a Commit.

    Raises NotFound (launch_not_found).
    """
    head, launch, attempt = await queries.locked(tx, launch_id)
    outdated = rules.is_outdated(base, launch.number, attempt.late_commits, attempt.late_launch)
    superseded = outdated or launch.superseded_by is not None
    if rules.is_expired(rules.moment(launch.seen_at), tx.now):
        return Beat(0.0, superseded, True)
    holder = await clock_queries.lock_clock(tx, head.user_id)
    # A review earns too, as long as the course is not completed: time may be what is missing.
    earns = visible and launch.superseded_by is None and head.status == EnrollmentStatus.IN_PROGRESS
    seconds = rules.credit(launch.id, rules.moment(launch.beat_at), holder, tx.now, visible=earns)
    await queries.note_beat(tx, launch, attempt, seconds)
    if not seconds:
        return Beat(0.0, superseded, False)
    await clock_queries.set_clock(tx, head.user_id, launch.id)
    head = structs.replace(head, credited_seconds=head.credited_seconds + seconds)
    head = await log.append(tx, head, "beat", launch.id, credited=seconds)
    # The workload may be all that was missing.
    completed = await completion.evaluate(tx, head, launch.id)
    return Beat(seconds, superseded, False, completed)


async def trace(tx: Tx, launch_id: UUID, calls: Sequence[Any]) -> bool:
    """Keeps calls of content to the runtime; False where the trace is full. Raises NotFound."""
    if not await queries.hold(tx, launch_id):
        raise NotFound("launch_not_found")
    return await queries.add_trace(tx, launch_id, calls)
