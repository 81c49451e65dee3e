"""The rules for commits and heartbeats."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from msgspec import structs

from trilha.training.learning.attempts.events import list_new_events
from trilha.training.learning.attempts.schema import AssessmentEvent
from trilha.training.learning.commits.rules import merge_cmi
from trilha.training.learning.completion.rules import should_emit_progress
from trilha.training.learning.launches.rules import compute_credit
from trilha.training.learning.launches.schema import LearnerClock
from trilha.training.learning.player_reports.rules import LaunchState, decide_outcome
from trilha.training.learning.player_reports.schema import Outcome
from trilha.training.scorm.runtime.mapping import State

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
MINE, OTHER = UUID(int=1), UUID(int=2)
FIVE = LaunchState(5, b"five", False, False, NOW)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("changed", "sequence", "hash", "expected"),
    [
        ({}, 6, b"six", "APPLIED"),
        ({}, 60, b"sixty", "APPLIED"),
        ({}, 5, b"five", "REPEATED"),
        ({}, 5, b"edited", "CONFLICTING"),
        ({}, 4, b"four", "STALE"),
        # Nothing newer has been applied yet, so the report that the first tab had sent is applied.
        ({"superseded": True}, 6, b"six", "APPLIED"),
        ({"superseded": True, "newer_applied": True}, 6, b"six", "SUPERSEDED"),
        ({"superseded": True, "newer_applied": True}, 5, b"five", "REPEATED"),
        ({"seen_at": ago(600)}, 6, b"six", "APPLIED"),
        ({"seen_at": ago(600.001)}, 6, b"six", "EXPIRED"),
        ({"seen_at": ago(600.001)}, 5, b"five", "REPEATED"),
    ],
)
def test_a_commit_counts_or_does_not(
    changed: dict[str, object], sequence: int, hash: bytes, expected: Outcome
) -> None:
    assert decide_outcome(structs.replace(FIVE, **changed), sequence, hash, NOW) == expected


@pytest.mark.parametrize(
    ("beat", "holder", "visible", "expected"),
    [
        (30, (MINE, 30), True, 30),
        (30, (MINE, 30), False, 0),
        # A machine that slept, or a script with one heartbeat a day.
        (3600, (MINE, 3600), True, 45),
        (0, (MINE, 0), True, 0),
        # The same person in another module or course.
        (30, (OTHER, 10), True, 0),
        (30, (OTHER, 44.9), True, 0),
        (30, (OTHER, 45), True, 30),
        (300, (OTHER, 60), True, 45),
        # Each second is credited only once.
        (30, (MINE, 5), True, 5),
        (30, None, True, 30),
        # Time that runs backward earns nothing.
        (-5, (MINE, -5), True, 0),
    ],
)
def test_time_is_credited_once(
    beat: float, holder: tuple[UUID, float] | None, visible: bool, expected: float
) -> None:
    credited = holder and LearnerClock(holder[0], ago(holder[1]))
    assert compute_credit(MINE, ago(beat), credited, NOW, visible=visible) == expected


@pytest.mark.parametrize(
    ("progress", "told", "seconds", "expected"),
    [
        (10, 0, None, True),
        (10, 10, 999, False),
        (9, 10, 999, False),
        (14.9, 10, 59, False),
        (15, 10, 1, True),
        (10.1, 10, 60, True),
    ],
)
def test_progress_is_told_for_points_or_time(
    progress: float, told: float, seconds: float | None, expected: bool
) -> None:
    assert should_emit_progress(progress, told, None if seconds is None else ago(seconds), NOW) is expected


PASSED = State(completion="completed", success="passed", score=90.0)
FAILED = State(completion="completed", success="failed", score=20.0)


@pytest.mark.parametrize(
    ("last", "state", "attempted", "expected"),
    [
        ("", State(completion="completed"), False, []),
        ("", State(score=40.0), False, []),
        ("", State(score=40.0), True, ["attempted"]),
        ("attempted", State(score=40.0), True, []),
        ("", PASSED, False, ["attempted", "passed"]),
        ("", FAILED, False, ["attempted", "failed"]),
        ("attempted", PASSED, True, ["passed"]),
        ("failed", FAILED, True, []),
        ("failed", PASSED, True, ["passed"]),
        ("passed", PASSED, True, []),
        ("passed", FAILED, True, []),
    ],
)
def test_an_outcome_is_told_once(
    last: AssessmentEvent, state: State, attempted: bool, expected: list[AssessmentEvent]
) -> None:
    assert list(list_new_events(last, state, attempted=attempted)) == expected


def test_an_element_that_was_not_sent_is_kept_and_a_name_is_not() -> None:
    before = {"suspend_data": "page 3", "core": {"lesson_location": "3", "student_name": "Lima, Ana"}}
    sent = {"core": {"lesson_status": "passed", "student_id": "7"}, "learner_name": "Ana"}
    assert merge_cmi(before, sent) == {
        "suspend_data": "page 3",
        "core": {"lesson_location": "3", "lesson_status": "passed"},
    }
