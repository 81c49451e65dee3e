"""Grades answers. No I/O, no clock.

An answer earns its question's whole weight or nothing; where a person grades it, it may earn a part.
"""

import unicodedata
from collections.abc import Iterable, Sequence

from trilha.training.quizzes.numbers import readings
from trilha.training.quizzes.responses import Response
from trilha.training.quizzes.schema import GRADED_BY_PEOPLE, Criterion, Question

# A tolerance for binary arithmetic, so that 0.1 + 0.2 equals 0.3.
_SLACK = 1e-9


def is_right(question: Question, response: Response | None) -> bool | None:
    """Returns None if a person has to grade the answer. A missing answer is wrong."""
    if response is None:
        return False
    if question.kind in GRADED_BY_PEOPLE:
        return None
    if question.kind in ("single", "multiple"):
        return response == [each.id for each in question.choices if each.right]
    if question.kind == "true_false":
        return response is question.right
    text = response if isinstance(response, str) else ""
    return _is_near(question, text) if question.kind == "numeric" else _is_accepted(question, text)


def _is_near(question: Question, text: str) -> bool:
    assert question.value is not None
    slack = _SLACK * max(1.0, abs(question.value))
    return any(abs(each - question.value) <= question.tolerance + slack for each in readings(text))


def _is_accepted(question: Question, text: str) -> bool:
    said = fold_answer(question, text)
    return any(said == fold_answer(question, each) for each in question.accepted if each.strip())


def fold_answer(question: Question, text: str) -> str:
    """Removes the differences that the question ignores. Spaces at either end are always ignored."""
    text = unicodedata.normalize("NFKC", text).strip()
    if question.ignore_accents:
        parts = unicodedata.normalize("NFD", text)
        text = unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))
    if question.ignore_case:
        text = text.casefold()
    return "".join(text.split()) if question.ignore_spaces else text


def score(graded: Iterable[tuple[float, float]]) -> float:
    """Returns the score from 0 to 100 for pairs of earned and possible points."""
    points, maximum = 0.0, 0.0
    for got, weight in graded:
        points, maximum = points + got, maximum + weight
    return round(min(max(points / maximum, 0.0), 1.0) * 100, 2) if maximum else 0.0


def is_passed(score: float, pass_mark: float) -> bool:
    return score + _SLACK >= pass_mark


def result(points: float, weight: float) -> str:
    """Returns the result as SCORM writes it: correct, incorrect, or a fraction of 1."""
    if points >= weight:
        return "correct"
    return f"{points / weight:.2f}" if points > 0 else "incorrect"


def grade_by_rubric(rubric: Sequence[Criterion], points: Sequence[float]) -> float:
    """Returns the grade from 0 to 100 for the points that were given for each criterion."""
    return score(zip(points, (criterion.points for criterion in rubric), strict=True))


def compute_points(grade: float, weight: float) -> float:
    """Returns the points that a grade from 0 to 100 earns of a question's weight."""
    return round(weight * grade / 100, 6)


def compute_grade(points: float, weight: float) -> float:
    """Returns the grade from 0 to 100 that these points of a question's weight stand for."""
    return round(100 * points / weight, 2)
