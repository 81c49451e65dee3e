"""The texts of questions in further languages. Answer keys, grades and statistics are the question's own.

A translation belongs to the texts that it was made of. A question with other texts, such as an older copy in
an attempt, or one that has changed since, is shown in its own language: it would ask something else.
"""

import hashlib
from typing import Annotated

from msgspec import Meta, Struct, structs

from trilha.core.types import to_json
from trilha.training.quizzes.schema import MAX_CHOICES, ChoiceText, FeedbackText, Question, QuestionText


class QuestionTexts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of a question in a language. `choices` are by the choices' ids."""

    text: QuestionText
    feedback: FeedbackText = ""
    choices: Annotated[dict[str, ChoiceText], Meta(max_length=MAX_CHOICES)] = {}


class QuestionTranslation(Struct, frozen=True):
    """A stored translation. `source` is the digest of the texts that it was made of."""

    texts: QuestionTexts
    source: bytes
    is_outdated: bool


def compute_digest(question: Question) -> bytes:
    """Returns a digest of the texts of a question, whatever the order of its choices."""
    choices = sorted((each.id, each.text) for each in question.choices)
    return hashlib.sha256(to_json([question.text, question.feedback, choices])).digest()


def translate(question: Question, translation: QuestionTranslation | None) -> Question:
    """Returns the question with the texts of its translation, or as it is if that was made of other texts."""
    if translation is None or translation.source != compute_digest(question):
        return question
    texts = translation.texts
    return structs.replace(
        question,
        text=texts.text,
        feedback=texts.feedback or question.feedback,
        choices=[
            structs.replace(each, text=texts.choices.get(each.id, each.text)) for each in question.choices
        ],
    )
