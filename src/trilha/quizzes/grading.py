"""How answers are graded. No I/O, no clock.

An answer is worth all of its question's weight or nothing; of a voice answer a person may give a part.
"""

import unicodedata
from collections.abc import Iterable

from trilha.quizzes.numbers import readings
from trilha.quizzes.responses import Response
from trilha.quizzes.schema import Question

# Room for what arithmetic in binary leaves: 0.1 + 0.2 is 0.3 to whoever answers.
_SLACK = 1e-9


def is_right(question: Question, response: Response | None) -> bool | None:
    """None where a person has to grade it. What is not answered is wrong."""
    if response is None:
        return False
    if question.kind == "voice":
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
    said = folded(question, text)
    return any(said == folded(question, each) for each in question.accepted if each.strip())


def folded(question: Question, text: str) -> str:
    """Without what the question overlooks. Blanks at either end never count."""
    text = unicodedata.normalize("NFKC", text).strip()
    if question.ignore_accents:
        parts = unicodedata.normalize("NFD", text)
        text = unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))
    if question.ignore_case:
        text = text.casefold()
    return "".join(text.split()) if question.ignore_spaces else text


def score(graded: Iterable[tuple[float, float]]) -> float:
    """0 to 100, of pairs of points and of what could be had."""
    points, most = 0.0, 0.0
    for got, weight in graded:
        points, most = points + got, most + weight
    return round(min(max(points / most, 0.0), 1.0) * 100, 2) if most else 0.0


def is_passed(score: float, pass_mark: float) -> bool:
    return score + _SLACK >= pass_mark


def result(points: float, weight: float) -> str:
    """As SCORM says it: correct, incorrect, or a part of 1."""
    if points >= weight:
        return "correct"
    return f"{points / weight:.2f}" if points > 0 else "incorrect"
