"""Records heartbeats, which credit time, and traces, which help to debug content."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.launches import queries, rules
from trilha.training.learning.launches.schema import HeartbeatResult
from trilha.training.learning.study_days import rules as study_day_rules
from trilha.training.learning.study_days.schema import DEFAULT_TIME_ZONE, StudyDays


async def record_heartbeat(
    tx: Tx, launch_id: UUID, *, visible: bool, base: int | None = None
) -> HeartbeatResult:
    """Credits the time since the last heartbeat if the page was `visible` ever since.

    `base` is the same as in a report. Raises NotFound (launch_not_found).
    """
    locked = await queries.lock_launch(tx, launch_id)
    head, launch, attempt = locked[:3]
    outdated = rules.is_outdated(base, launch.number, attempt.late_commits, attempt.late_launch)
    superseded = outdated or locked.is_superseded
    if rules.is_expired(datetime.fromisoformat(launch.seen_at), tx.now):
        return HeartbeatResult(0.0, superseded, True)
    clock = await queries.lock_clock(tx, head.user_id)
    # A review earns time too while the course is not completed: time may be all that is missing.
    earns = visible and not locked.is_superseded and head.status == EnrollmentStatus.IN_PROGRESS
    beat_at = datetime.fromisoformat(launch.beat_at)
    seconds = rules.compute_credit(launch.id, beat_at, clock, tx.now, visible=earns)
    if not seconds:
        await queries.note_heartbeat(tx, launch)
        return HeartbeatResult(0.0, superseded, False)
    # Whoever earns time has a clock, since the launch.
    days = clock.days if clock else StudyDays()
    zone = clock.time_zone if clock else DEFAULT_TIME_ZONE
    days = study_day_rules.add_study(days, study_day_rules.find_day(tx.now, zone), seconds)
    changes = queries.credit_heartbeat(locked, seconds, days)
    head = structs.replace(head, credited_seconds=head.credited_seconds + seconds)
    head = await log.append(tx, head, "beat", launch.id, changes, credited=seconds)
    completed = await completion.complete_if_met(tx, head, launch.id)
    return HeartbeatResult(seconds, superseded, False, completed)


async def record_trace(tx: Tx, launch_id: UUID, calls: Sequence[Any]) -> bool:
    """Stores calls that content made to the runtime; returns False if the trace is full.

    Raises NotFound (launch_not_found).
    """
    if not await queries.lock_against_erasure(tx, launch_id):
        raise NotFound("launch_not_found")
    return await queries.insert_trace(tx, launch_id, calls)
