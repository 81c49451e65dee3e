"""Decides what becomes of a report from its launch and attempt, and describes it for the log."""

from datetime import datetime
from typing import Any

from trilha.core.database import Tx
from trilha.enrollments.schema import EnrollmentStatus
from trilha.learning.attempts.schema import Attempt
from trilha.learning.evidence.schema import LogHead
from trilha.learning.launches import rules as launch_rules
from trilha.learning.launches.schema import Launch
from trilha.learning.reports import rules
from trilha.learning.reports.rules import LaunchState
from trilha.learning.reports.schema import Outcome, Report
from trilha.scorm.runtime.mapping import State


def decide_report_outcome(
    tx: Tx, head: LogHead, launch: Launch, attempt: Attempt, report: Report, *, held: bool
) -> Outcome:
    state = build_launch_state(head, launch, attempt, report.base)
    return rules.decide_outcome(state, report.sequence, report.hash, tx.now, held=held)


def build_launch_state(
    head: LogHead, launch: Launch, attempt: Attempt, base: int | None = None
) -> LaunchState:
    return LaunchState(
        last_sequence=launch.last_sequence,
        last_hash=launch.last_hash,
        superseded=launch.superseded_by is not None,
        newer_applied=attempt.newest_launch > launch.number,
        seen_at=datetime.fromisoformat(launch.seen_at),
        over=head.status == EnrollmentStatus.EXPIRED,
        outdated=launch_rules.is_outdated(base, launch.number, attempt.late_commits, attempt.late_launch),
        review=launch.review,
    )


def describe_report(report: Report, outcome: Outcome, *, held: bool) -> dict[str, Any]:
    """Returns what the log says of any report. The body itself is not logged, only its hash."""
    detail = {
        "sequence": report.sequence,
        "final": report.final,
        "outcome": outcome,
        "body": report.hash.hex(),
    }
    return (
        detail | ({"held": True} if held else {}) | ({"left_out": report.left_out} if report.left_out else {})
    )


def describe_state(state: State) -> dict[str, Any]:
    """Returns what the log says of the attempt after a report."""
    return {name: getattr(state, name) for name in ("completion", "success", "score", "progress")}
