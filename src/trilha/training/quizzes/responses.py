"""A learner's answers: validating, storing and displaying them. No I/O, no clock."""

from collections.abc import Sequence
from typing import Any

from trilha.training.quizzes.numbers import parse
from trilha.training.quizzes.schema import Question

# The stored answer by kind: ids of choices, true or false, text, or the id of a voice recording.
Response = list[str] | bool | str
LONGEST_TEXT = 2000


class Unacceptable(ValueError):
    """The answer does not fit the question. The message is a field error code."""


def accept(question: Question, answer: Any) -> Response | None:
    """Returns the answer to store; None if it was cleared. Raises Unacceptable.

    A voice answer is accepted when its recording arrives, never here.
    """
    if answer is None or answer == "" or answer == []:
        return None
    if question.kind in ("single", "multiple"):
        return _accept_choices(question, answer)
    if question.kind == "true_false":
        if not isinstance(answer, bool):
            raise Unacceptable("invalid_type")
        return answer
    if question.kind == "voice":
        raise Unacceptable("invalid_type")
    return _accept_text(question, answer)


def _accept_choices(question: Question, answer: Any) -> list[str]:
    if not isinstance(answer, list) or not all(isinstance(each, str) for each in answer):
        raise Unacceptable("invalid_type")
    if question.kind == "single" and len(answer) != 1:
        raise Unacceptable("too_long")
    known = [each.id for each in question.choices]
    if len(answer) > len(known) or any(each not in known for each in answer):
        raise Unacceptable("invalid_value")
    return [each for each in known if each in answer]


def _accept_text(question: Question, answer: Any) -> str | None:
    if not isinstance(answer, str):
        raise Unacceptable("invalid_type")
    if len(answer) > (question.longest_characters if question.kind == "essay" else LONGEST_TEXT):
        raise Unacceptable("too_long")
    if "\x00" in answer or any(0xD800 <= ord(c) < 0xE000 for c in answer):
        raise Unacceptable("invalid_text")
    text = answer.strip()
    if not text:
        return None
    if question.kind == "numeric" and parse(text) is None:
        raise Unacceptable("invalid_number")
    return text


def format_response(question: Question, response: Response | None) -> str:
    """Formats an answer for display."""
    if response is None:
        return ""
    if isinstance(response, bool):
        return "true" if response else "false"
    if isinstance(response, str):
        return response
    return ", ".join(each.text for each in question.choices if each.id in response)


def format_right_answer(question: Question) -> str:
    """Formats the right answer; an answer that a person grades has none."""
    if question.kind in ("single", "multiple"):
        return ", ".join(each.text for each in question.choices if each.right)
    if question.kind == "true_false":
        return "true" if question.right else "false"
    if question.kind == "numeric":
        return _range(question)
    return " | ".join(_list_accepted(question))


def count_words(text: str) -> int:
    """Counts the words of an essay."""
    return len(text.split())


def _range(question: Question) -> str:
    assert question.value is not None
    if not question.tolerance:
        return f"{question.value:.15g}"
    return f"{question.value - question.tolerance:.15g}–{question.value + question.tolerance:.15g}"


def _list_accepted(question: Question) -> Sequence[str]:
    return [each.strip() for each in question.accepted if each.strip()]
