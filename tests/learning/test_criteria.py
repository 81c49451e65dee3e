"""When a course is completed, and what is missing."""

from uuid import UUID

import pytest

from trilha.learning.completion.rules import (
    missing_before,
    needs_better,
    next_module,
    progress_of,
    score_of,
    unmet,
    waiting,
)
from trilha.learning.completion.schema import Criterion, Demands, Part, Reached

A, B, C = (UUID(int=n) for n in (1, 2, 3))
PARTS = [Part(A, 10, True), Part(B, 30, True), Part(C, 60, False)]
DONE = Reached(100.0, None, True)


@pytest.mark.parametrize(
    ("demands", "reached", "seconds", "expected"),
    [
        (Demands(), {}, 0, [Criterion("modules", 2, 0, [A, B])]),
        (Demands(), {A: DONE}, 0, [Criterion("modules", 2, 1, [B])]),
        (Demands(), {A: DONE, B: DONE}, 0, []),
        # What is not required counts for nothing here.
        (Demands(), {A: DONE, C: DONE}, 0, [Criterion("modules", 2, 1, [B])]),
        # Failed: all of it was seen, and it is not met.
        (Demands(), {A: DONE, B: Reached(100.0, 20.0, False)}, 0, [Criterion("modules", 2, 1, [B])]),
        (Demands(workload_minutes=40), {A: DONE, B: DONE}, 2399.9, [Criterion("workload", 40, 39)]),
        (Demands(workload_minutes=40), {A: DONE, B: DONE}, 2400, []),
        (Demands(score=70), {A: DONE, B: DONE}, 0, [Criterion("score", 70, None)]),
        (Demands(score=70), {A: DONE, B: Reached(100, 69.99, True)}, 0, [Criterion("score", 70, 69.99)]),
        (Demands(score=70), {A: DONE, B: Reached(100, 70, True)}, 0, []),
        (
            Demands(workload_minutes=1, score=70),
            {},
            0,
            [Criterion("modules", 2, 0, [A, B]), Criterion("workload", 1, 0), Criterion("score", 70, None)],
        ),
    ],
)
def test_what_is_missing(
    demands: Demands, reached: dict[UUID, Reached], seconds: float, expected: list[Criterion]
) -> None:
    assert unmet(demands, PARTS, reached, seconds) == expected


def test_a_claimed_score_waits_for_its_time() -> None:
    parts = [
        Part(A, 10, True, claimed=True),
        Part(B, 0, True, claimed=True),
        Part(C, 60, False, claimed=True),
    ]
    reached = {A: Reached(100, 90, True, 59.5), B: Reached(100, 70, True, 0), C: DONE}
    assert waiting(parts, reached) == {A: 0.5}
    score = unmet(Demands(score=80), parts, reached, 0)
    assert score == [Criterion("score", 80, 90, (A,), 0.5)]
    assert score[0].reached
    assert unmet(Demands(), parts, reached, 0) == []
    assert waiting([Part(A, 60, True)], {A: Reached(100, 90, True)}) == {}


@pytest.mark.parametrize(("seconds", "expected"), [(0, A), (60, B)])
def test_one_goes_on_where_a_score_waits(seconds: float, expected: UUID) -> None:
    parts = [Part(A, 10, True, claimed=True), Part(B, 10, True)]
    reached = {A: Reached(100, 90, True, seconds), B: DONE}
    assert next_module(Demands(score=80), parts, reached, B) == expected
    assert next_module(Demands(), parts, reached, B) == B


def test_a_course_without_required_modules_is_never_completed() -> None:
    assert unmet(Demands(), [Part(C, 60, False)], {C: DONE}, 0) == [Criterion("modules", 0, 0, [])]


@pytest.mark.parametrize(
    ("sequential", "reached", "module", "missing"),
    [
        (False, {}, C, []),
        (True, {}, A, []),
        (True, {}, B, [A]),
        (True, {}, C, [A, B]),
        (True, {A: DONE}, B, []),
        (True, {A: Reached(100.0, 10.0, False)}, B, [A]),
    ],
)
def test_what_comes_first(
    sequential: bool, reached: dict[UUID, Reached], module: UUID, missing: list[UUID]
) -> None:
    assert missing_before(Demands(sequential=sequential), PARTS, reached, module) == missing


def test_an_optional_module_is_not_waited_for() -> None:
    parts = [Part(A, 1, False), Part(B, 1, True)]
    assert missing_before(Demands(sequential=True), parts, {}, B) == []


@pytest.mark.parametrize(
    ("reached", "progress", "score"),
    [
        ({}, 0, None),
        ({A: DONE}, 25, None),
        ({A: DONE, B: Reached(50.0)}, 62.5, None),
        ({A: Reached(100.0, 100.0, True), B: Reached(0.0, 20.0)}, 25, 40),
        # A score counts where it was reached, required or not.
        ({A: Reached(0.0, 100.0), C: Reached(100.0, 30.0, True)}, 0, 40),
    ],
)
def test_progress_and_score_are_weighted_by_length(
    reached: dict[UUID, Reached], progress: float, score: float | None
) -> None:
    assert progress_of(PARTS, reached) == progress
    assert score_of(PARTS, reached) == score


def test_modules_without_a_length_count_the_same() -> None:
    parts = [Part(A, 0, True), Part(B, 0, True)]
    assert progress_of(parts, {A: DONE}) == 50
    assert score_of(parts, {A: Reached(0, 40), B: Reached(0, 60)}) == 50


@pytest.mark.parametrize(
    ("asked", "reached", "module", "expected"),
    [
        (70, {A: Reached(100, 50, True)}, A, True),
        (70, {A: Reached(100, 50, True), B: Reached(100, 80, True)}, A, False),
        (70, {A: Reached(100, 80, True), B: Reached(100, 20, True)}, A, False),
        (70, {A: Reached(100, 80, True), B: Reached(100, 20, True)}, B, True),
        # What is not scored cannot raise a mean; where nothing is scored, anything may.
        (70, {A: Reached(100, 20, True), C: DONE}, C, False),
        (70, {A: DONE}, A, True),
        (0, {A: DONE}, A, False),
        (0, {A: Reached(100, 5, True)}, A, False),
    ],
)
def test_what_a_better_score_may_come_from(
    asked: float, reached: dict[UUID, Reached], module: UUID, expected: bool
) -> None:
    assert needs_better(Demands(score=asked), PARTS, reached, module) is expected


@pytest.mark.parametrize(
    ("demands", "reached", "last", "expected"),
    [
        (Demands(), {}, None, A),
        (Demands(), {B: Reached(50)}, B, B),
        (Demands(), {A: DONE}, A, B),
        # What is not required comes after what is, but for who is in the middle of it.
        (Demands(), {A: DONE, C: Reached(10)}, C, C),
        (Demands(), {A: DONE, B: DONE}, B, C),
        (Demands(sequential=True), {B: Reached(50)}, B, A),
        # Nothing is left but time, or a better score.
        (Demands(60), {A: DONE, B: DONE, C: DONE}, B, B),
        (Demands(60), {A: DONE, B: DONE, C: DONE}, UUID(int=9), A),
        (Demands(score=90), {A: Reached(100, 95, True), B: Reached(100, 50, True), C: DONE}, A, B),
    ],
)
def test_what_to_go_on_with(
    demands: Demands, reached: dict[UUID, Reached], last: UUID | None, expected: UUID
) -> None:
    assert next_module(demands, PARTS, reached, last) == expected


def test_what_awaits_a_grade_is_gone_on_with_last() -> None:
    reached = {A: Reached(50), B: Reached(100)}
    assert next_module(Demands(), PARTS, reached, B, {B}) == A
    assert next_module(Demands(), PARTS, {A: DONE, B: Reached(100), C: DONE}, B, {B}) == B


def test_a_course_without_modules_has_nothing_to_go_on_with() -> None:
    assert next_module(Demands(), [], {}, None) is None
