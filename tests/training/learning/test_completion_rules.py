"""When a course is completed, and what is missing."""

from uuid import UUID

import pytest

from trilha.training.learning.completion.rules import (
    choose_next_module,
    compute_progress,
    compute_score,
    judge_presence,
    list_locking_modules,
    list_missing_seconds,
    list_unmet_criteria,
    needs_better_score,
)
from trilha.training.learning.completion.schema import (
    CourseModule,
    Criterion,
    ModuleProgress,
    Presence,
    Requirements,
)

A, B, C = (UUID(int=n) for n in (1, 2, 3))
MODULES = [CourseModule(A, 10, True), CourseModule(B, 30, True), CourseModule(C, 60, False)]
DONE = ModuleProgress(100.0, None, True)


@pytest.mark.parametrize(
    ("required", "reached", "seconds", "expected"),
    [
        (Requirements(MODULES), {}, 0, [Criterion("modules", 2, 0, [A, B])]),
        (Requirements(MODULES), {A: DONE}, 0, [Criterion("modules", 2, 1, [B])]),
        (Requirements(MODULES), {A: DONE, B: DONE}, 0, []),
        # An optional module does not count here.
        (Requirements(MODULES), {A: DONE, C: DONE}, 0, [Criterion("modules", 2, 1, [B])]),
        # Failed: everything was seen, but the criterion is not met.
        (
            Requirements(MODULES),
            {A: DONE, B: ModuleProgress(100.0, 20.0, False)},
            0,
            [Criterion("modules", 2, 1, [B])],
        ),
        (
            Requirements(MODULES, workload_minutes=40),
            {A: DONE, B: DONE},
            2399.9,
            [Criterion("workload", 40, 39)],
        ),
        (Requirements(MODULES, workload_minutes=40), {A: DONE, B: DONE}, 2400, []),
        (Requirements(MODULES, score=70), {A: DONE, B: DONE}, 0, [Criterion("score", 70, None)]),
        (
            Requirements(MODULES, score=70),
            {A: DONE, B: ModuleProgress(100, 69.99, True)},
            0,
            [Criterion("score", 70, 69.99)],
        ),
        (Requirements(MODULES, score=70), {A: DONE, B: ModuleProgress(100, 70, True)}, 0, []),
        (
            Requirements(MODULES, workload_minutes=1, score=70),
            {},
            0,
            [Criterion("modules", 2, 0, [A, B]), Criterion("workload", 1, 0), Criterion("score", 70, None)],
        ),
    ],
)
def test_what_is_missing(
    required: Requirements, reached: dict[UUID, ModuleProgress], seconds: float, expected: list[Criterion]
) -> None:
    assert list_unmet_criteria(required, reached, seconds) == expected


def test_a_claimed_score_waits_for_its_time() -> None:
    modules = [
        CourseModule(A, 10, True, claimed=True),
        CourseModule(B, 0, True, claimed=True),
        CourseModule(C, 60, False, claimed=True),
    ]
    reached = {A: ModuleProgress(100, 90, True, 59.5), B: ModuleProgress(100, 70, True, 0), C: DONE}
    assert list_missing_seconds(modules, reached) == {A: 0.5}
    score = list_unmet_criteria(Requirements(modules, score=80), reached, 0)
    assert score == [Criterion("score", 80, 90, (A,), 0.5)]
    assert score[0].is_reached
    assert list_unmet_criteria(Requirements(modules), reached, 0) == []
    assert list_missing_seconds([CourseModule(A, 60, True)], {A: ModuleProgress(100, 90, True)}) == {}


@pytest.mark.parametrize(("seconds", "expected"), [(0, A), (60, B)])
def test_one_goes_on_where_a_score_waits(seconds: float, expected: UUID) -> None:
    modules = [CourseModule(A, 10, True, claimed=True), CourseModule(B, 10, True)]
    reached = {A: ModuleProgress(100, 90, True, seconds), B: DONE}
    assert choose_next_module(Requirements(modules, score=80), reached, B) == expected
    assert choose_next_module(Requirements(modules), reached, B) == B


def test_a_course_without_required_modules_is_never_completed() -> None:
    assert list_unmet_criteria(Requirements([CourseModule(C, 60, False)]), {C: DONE}, 0) == [
        Criterion("modules", 0, 0, [])
    ]


@pytest.mark.parametrize(
    ("sequential", "reached", "module", "missing"),
    [
        (False, {}, C, []),
        (True, {}, A, []),
        (True, {}, B, [A]),
        (True, {}, C, [A, B]),
        (True, {A: DONE}, B, []),
        (True, {A: ModuleProgress(100.0, 10.0, False)}, B, [A]),
    ],
)
def test_what_comes_first(
    sequential: bool, reached: dict[UUID, ModuleProgress], module: UUID, missing: list[UUID]
) -> None:
    assert list_locking_modules(Requirements(MODULES, sequential=sequential), reached, module) == missing


def test_an_optional_module_is_not_waited_for() -> None:
    modules = [CourseModule(A, 1, False), CourseModule(B, 1, True)]
    assert list_locking_modules(Requirements(modules, sequential=True), {}, B) == []


@pytest.mark.parametrize(
    ("reached", "progress", "score"),
    [
        ({}, 0, None),
        ({A: DONE}, 25, None),
        ({A: DONE, B: ModuleProgress(50.0)}, 62.5, None),
        ({A: ModuleProgress(100.0, 100.0, True), B: ModuleProgress(0.0, 20.0)}, 25, 40),
        # A score counts in the module where it was reached, required or not.
        ({A: ModuleProgress(0.0, 100.0), C: ModuleProgress(100.0, 30.0, True)}, 0, 40),
    ],
)
def test_progress_and_score_are_weighted_by_length(
    reached: dict[UUID, ModuleProgress], progress: float, score: float | None
) -> None:
    assert compute_progress(MODULES, reached) == progress
    assert compute_score(MODULES, reached) == score


def test_modules_without_a_length_count_the_same() -> None:
    modules = [CourseModule(A, 0, True), CourseModule(B, 0, True)]
    assert compute_progress(modules, {A: DONE}) == 50
    assert compute_score(modules, {A: ModuleProgress(0, 40), B: ModuleProgress(0, 60)}) == 50


@pytest.mark.parametrize(
    ("asked", "reached", "module", "expected"),
    [
        (70, {A: ModuleProgress(100, 50, True)}, A, True),
        (70, {A: ModuleProgress(100, 50, True), B: ModuleProgress(100, 80, True)}, A, False),
        (70, {A: ModuleProgress(100, 80, True), B: ModuleProgress(100, 20, True)}, A, False),
        (70, {A: ModuleProgress(100, 80, True), B: ModuleProgress(100, 20, True)}, B, True),
        # A module without a score cannot raise the mean. If no module has a score, each of them may.
        (70, {A: ModuleProgress(100, 20, True), C: DONE}, C, False),
        (70, {A: DONE}, A, True),
        (0, {A: DONE}, A, False),
        (0, {A: ModuleProgress(100, 5, True)}, A, False),
    ],
)
def test_what_a_better_score_may_come_from(
    asked: float, reached: dict[UUID, ModuleProgress], module: UUID, expected: bool
) -> None:
    assert needs_better_score(Requirements(MODULES, score=asked), reached, module) is expected


@pytest.mark.parametrize(
    ("required", "reached", "last", "expected"),
    [
        (Requirements(MODULES), {}, None, A),
        (Requirements(MODULES), {B: ModuleProgress(50)}, B, B),
        (Requirements(MODULES), {A: DONE}, A, B),
        # Optional modules come after required ones, except for a person who has started one.
        (Requirements(MODULES), {A: DONE, C: ModuleProgress(10)}, C, C),
        (Requirements(MODULES), {A: DONE, B: DONE}, B, C),
        (Requirements(MODULES, sequential=True), {B: ModuleProgress(50)}, B, A),
        # Only time or a better score is missing.
        (Requirements(MODULES, 60), {A: DONE, B: DONE, C: DONE}, B, B),
        (Requirements(MODULES, 60), {A: DONE, B: DONE, C: DONE}, UUID(int=9), A),
        (
            Requirements(MODULES, score=90),
            {A: ModuleProgress(100, 95, True), B: ModuleProgress(100, 50, True), C: DONE},
            A,
            B,
        ),
    ],
)
def test_what_to_go_on_with(
    required: Requirements, reached: dict[UUID, ModuleProgress], last: UUID | None, expected: UUID
) -> None:
    assert choose_next_module(required, reached, last) == expected


def test_what_awaits_a_grade_is_gone_on_with_last() -> None:
    reached = {A: ModuleProgress(50), B: ModuleProgress(100)}
    assert choose_next_module(Requirements(MODULES), reached, B, {B}) == A
    assert choose_next_module(Requirements(MODULES), {A: DONE, B: ModuleProgress(100), C: DONE}, B, {B}) == B


def test_a_course_without_modules_has_nothing_to_go_on_with() -> None:
    assert choose_next_module(Requirements([]), {}, None) is None


def test_progress_counts_modules_without_minutes_as_the_mean_of_the_others() -> None:
    modules = [CourseModule(A, 10, True), CourseModule(B, 0, True), CourseModule(C, 0, True)]
    assert compute_progress(modules, {B: DONE}) == pytest.approx(33.33)
    modules = [CourseModule(A, 10, True), CourseModule(B, 30, True), CourseModule(C, 0, True)]
    assert compute_progress(modules, {C: DONE}) == pytest.approx(33.33)
    # With minutes in every module, they are the weights.
    modules = [CourseModule(A, 10, True), CourseModule(B, 30, True)]
    assert compute_progress(modules, {B: DONE}) == 75


MEETING = CourseModule(B, 30, True, attended=True)


@pytest.mark.parametrize(
    ("modules", "reached", "sequential", "expected"),
    [
        # Nobody opens a class.
        ([CourseModule(A, 1, True), MEETING], {}, False, A),
        ([MEETING, CourseModule(A, 1, True)], {}, False, A),
        ([MEETING], {}, False, None),
        ([CourseModule(A, 1, True), MEETING], {A: DONE}, False, None),
        ([CourseModule(A, 1, True), MEETING], {A: DONE, B: DONE}, False, A),
        # What comes after a class waits for it.
        ([MEETING, CourseModule(A, 1, True)], {}, True, None),
        ([MEETING, CourseModule(A, 1, True)], {B: DONE}, True, A),
        ([CourseModule(C, 1, True), MEETING, CourseModule(A, 1, True)], {C: DONE}, True, None),
    ],
)
def test_a_class_is_waited_for(
    modules: list[CourseModule], reached: dict[UUID, ModuleProgress], sequential: bool, expected: UUID | None
) -> None:
    assert choose_next_module(Requirements(modules, sequential=sequential), reached, None) == expected


@pytest.mark.parametrize(
    ("presences", "progress", "completed"),
    [
        ([], 0.0, False),
        ([(75, 0, 240)], 0.0, False),
        ([(75, 90, 240)], 50.0, False),
        ([(75, 179, 240)], 99.44, False),
        ([(75, 180, 240)], 100.0, True),
        ([(75, 240, 240)], 100.0, True),
        ([(100, 19_999, 20_000)], 99.99, False),
        # The best class counts.
        ([(100, 120, 240), (100, 60, 60)], 100.0, True),
        ([(100, 120, 240), (100, 120, 480)], 50.0, False),
    ],
)
def test_presence_completes_a_class(
    presences: list[tuple[int, int, int]], progress: float, completed: bool
) -> None:
    judged = judge_presence(ModuleProgress(), [Presence(B, *each) for each in presences])
    assert (judged.progress, judged.completed) == (progress, completed)


def test_presence_falls_until_the_course_is_completed() -> None:
    before, less = ModuleProgress(100.0, None, True, 14_400), [Presence(B, 100, 60, 240)]
    assert judge_presence(before, less) == ModuleProgress(25.0, None, False, 3600)
    assert judge_presence(before, less, final=True) == before


def test_presence_counts_towards_the_workload() -> None:
    course = Requirements([CourseModule(A, 1, True), MEETING], workload_minutes=300)
    present = {A: DONE, B: ModuleProgress(100.0, None, True, 14_400)}
    assert list_unmet_criteria(course, present, 3599) == [Criterion("workload", 300, 299)]
    assert list_unmet_criteria(course, present, 3600) == []
