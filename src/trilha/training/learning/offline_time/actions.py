"""Credits the time for which a module was visible without a connection, when its browser reports it."""

import hashlib
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.completion import queries as completion_queries
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence.schema import Change
from trilha.training.learning.launches import queries, rules
from trilha.training.learning.launches.schema import LockedLaunch
from trilha.training.learning.offline_time.schema import OfflineTimeReport
from trilha.training.learning.player_reports import parsing
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.player_reports.schema import ReportResult

_MAX_SECONDS = 1e9


def read_report(raw: bytes) -> OfflineTimeReport:
    """Reads `{seconds}`. Raises BadRequest (malformed_json) and Invalid."""
    body = parsing.decode(raw)
    seconds = body.get("seconds") if isinstance(body, dict) else None
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        raise invalid("seconds", "invalid_type")
    if not 0 <= seconds <= _MAX_SECONDS:
        raise invalid("seconds", "out_of_range")
    return OfflineTimeReport(
        sequence=0, final=False, hash=hashlib.sha256(raw).digest(), raw=raw, seconds=float(seconds)
    )


async def apply_report(
    tx: Tx, launch_id: UUID, report: OfflineTimeReport, *, held: bool = True
) -> ReportResult:
    """Credits as much of the time that a browser has held as the server's clock and the course allow.

    The number of seconds only grows, so that a report counts once however often it comes, and needs no number
    among the launch's other reports. Raises NotFound (launch_not_found).
    """
    locked = await queries.lock_launch(tx, launch_id)
    if report.seconds <= locked.launch.offline_seconds:
        return ReportResult("REPEATED", locked.is_superseded)
    completed = await _credit(tx, locked, report.seconds, {"held": held})
    return ReportResult("APPLIED", locked.is_superseded, completed)


async def credit_live(tx: Tx, launch_id: UUID, seconds: float) -> bool:
    """Credits what a heartbeat reports, unless its launch has expired: then the browser holds the report.

    Returns whether that has completed the enrollment. Raises NotFound (launch_not_found).
    """
    locked = await queries.lock_launch(tx, launch_id)
    launch = locked.launch
    expired = rules.is_expired(datetime.fromisoformat(launch.seen_at), tx.now)
    if expired or seconds <= launch.offline_seconds:
        return False
    return await _credit(tx, locked, seconds, {})


async def _credit(tx: Tx, locked: LockedLaunch, reported: float, detail: dict[str, Any]) -> bool:
    """Credits and logs the time. Returns whether it has completed the enrollment.

    If the module was opened elsewhere meanwhile, the time there counts. A review earns time too, as with
    heartbeats.
    """
    head, launch = locked.head, locked.launch
    seconds, changes = 0.0, list[Change]()
    state = report_rules.build_launch_state(locked)
    earns = not (state.superseded and state.newer_applied)
    if earns and head.status == EnrollmentStatus.IN_PROGRESS and await _counts(tx, locked):
        clock = await queries.lock_clock(tx, head.user_id)
        beat_at = datetime.fromisoformat(launch.beat_at)
        known = launch.offline_seconds
        seconds, until = rules.compute_offline_credit(reported, known, beat_at, clock, tx.now)
        changes = queries.credit_offline_time(locked, seconds, until) if seconds else []
    await queries.note_offline_time(tx, launch, reported, seconds)
    detail = {"offline": reported, "credited": seconds} | detail
    head = structs.replace(head, credited_seconds=head.credited_seconds + seconds)
    head = await log.append(tx, head, "beat", launch.id, changes, **detail)
    return bool(seconds) and await completion.complete_if_met(tx, head, launch.id)


async def _counts(tx: Tx, locked: LockedLaunch) -> bool:
    progress = await completion_queries.get_course_progress(
        tx, locked.head.enrollment_id, locked.head.course_id
    )
    return rules.counts_offline_time(progress.course.workload_minutes)
