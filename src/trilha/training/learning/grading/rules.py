"""Decides the grade of an answer. No I/O, no clock."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from trilha.core.errors import Invalid, Problem, invalid, problem
from trilha.core.types import Timestamp, dec_hook
from trilha.training.learning.grading.schema import Correction, NewGrade, StoredAnswer
from trilha.training.quizzes import grading
from trilha.training.quizzes.schema import Question

# The audit log has all corrections; the answer has the newest.
MAX_CORRECTIONS = 20
MAX_REASON = 500


def decide_grade(question: Question, new: NewGrade) -> float:
    """Returns the grade from 0 to 100. Raises Invalid (required, out_of_range)."""
    if not question.rubric:
        if new.grade is None:
            raise invalid("grade", "required")
        if not 0 <= new.grade <= 100:
            raise invalid("grade", "out_of_range")
        return new.grade
    problems = list[Problem]()
    for n, criterion in enumerate(question.rubric):
        if n >= len(new.criteria):
            problems.append(problem(f"criteria-{n}", "required"))
        elif not 0 <= new.criteria[n] <= criterion.points:
            problems.append(problem(f"criteria-{n}", "out_of_range"))
    if problems:
        raise Invalid(problems)
    return grading.grade_by_rubric(question.rubric, new.criteria[: len(question.rubric)])


def check_reason(reason: str) -> str:
    """Returns the reason of a correction. Raises Invalid (required, too_long)."""
    text = reason.strip()
    if not text:
        raise invalid("reason", "required")
    if len(text) > MAX_REASON:
        raise invalid("reason", "too_long")
    return text


def add_correction(answer: StoredAnswer, reason: str, by: UUID, at: Timestamp) -> Sequence[Correction]:
    """Returns the corrections of an answer, with the grade that is about to be replaced."""
    before = msgspec.convert(answer.corrections, list[Correction], dec_hook=dec_hook)
    assert answer.points is not None
    return [*before, Correction(at=at, by=by, points=answer.points, reason=reason)][-MAX_CORRECTIONS:]
