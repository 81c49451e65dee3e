"""Decides what becomes of a report, and describes it for the log."""

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
    tx: Tx, head: LogHead, launch: Launch, attempt: Attempt, sent: Report, *, held: bool
) -> Outcome:
    """What becomes of a report by its number and by where its launch stands."""
    return rules.decide_outcome(
        describe_launch(head, launch, attempt, sent.base), sent.sequence, sent.hash, tx.now, held=held
    )


def describe_launch(head: LogHead, launch: Launch, attempt: Attempt, base: int | None = None) -> LaunchState:
    return LaunchState(
        last_sequence=launch.last_sequence,
        last_hash=launch.last_hash,
        superseded=launch.superseded_by is not None,
        newer_applied=attempt.newest_launch > launch.number,
        seen_at=launch_rules.parse_moment(launch.seen_at),
        over=head.status == EnrollmentStatus.EXPIRED,
        outdated=launch_rules.is_outdated(base, launch.number, attempt.late_commits, attempt.late_launch),
        review=launch.review,
    )


def describe_delivery(sent: Report, *, held: bool) -> dict[str, Any]:
    """What the log tells of how a report came, where that is unusual."""
    return ({"held": True} if held else {}) | ({"left_out": sent.left_out} if sent.left_out else {})


def describe_state(state: State) -> dict[str, Any]:
    """As the log tells it."""
    return {name: getattr(state, name) for name in ("completion", "success", "score", "progress")}
