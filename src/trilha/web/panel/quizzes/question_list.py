"""The page of a quiz: its questions, and the form of the one that is added or changed on it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Refusal
from trilha.training.question_bank import drawing as bank
from trilha.training.question_bank import figures, statistics
from trilha.training.question_bank import queries as bank_queries
from trilha.training.quizzes import queries
from trilha.training.quizzes.schema import Kind, Question
from trilha.web.panel.question_bank.words import DIFFICULTIES, DISTINCTION_HINTS, DISTINCTIONS
from trilha.web.panel.quizzes.page_quiz import QuizOfPage
from trilha.web.panel.quizzes.words import (
    DRAW_SENTENCES,
    FEEDBACK,
    HINTS,
    KINDS,
    PRESENTATIONS,
    QUESTION_SENTENCES,
    SIGNS,
)
from trilha.web.panel.view import PanelView


class QuizQuery(Struct, frozen=True, kw_only=True):
    """`at` is the question that has the focus."""

    at: UUID | None = None


class Editor(Struct, frozen=True):
    """The form of a question on the page of the quiz: of a new one, if there is no `question`."""

    kind: Kind
    question: Question | None
    begins: Mapping[str, Any]
    values: Mapping[str, Any]


async def show_questions(
    tx: Tx,
    view: PanelView,
    page_quiz: QuizOfPage,
    *,
    refusal: Refusal | None = None,
    editor: Editor | None = None,
    at: UUID | None = None,
    message: str = "",
) -> Html:
    """Show the page. With a `message`, a change was made without leaving the page."""
    questions = await queries.list_questions(tx, page_quiz.quiz.id)
    asked = count_questions(questions, page_quiz.quiz.draws)
    drawable = await bank.count_drawable(tx, page_quiz.quiz.bank_draws)
    tags = [] if editor else await bank_queries.list_tags(tx)
    drawn = sum(min(rule.count, n) for rule, n in zip(page_quiz.quiz.bank_draws, drawable, strict=True))
    return view.form(
        "panel/quizzes/quiz.html",
        refusal,
        editor.begins if editor else {"draw": 10},
        QUESTION_SENTENCES if editor else QUESTION_SENTENCES | DRAW_SENTENCES,
        found=page_quiz,
        questions=questions,
        editor=editor,
        at=at,
        message=message,
        asked=asked + drawn,
        bank_tags=[(each.tag, f"{each.tag} ({view.number(each.questions)})") for each in tags],
        bank_rules=list(zip(page_quiz.quiz.bank_draws, drawable, strict=True)),
        figures=await figures.measure_quiz(tx, page_quiz.quiz.id, max(asked + drawn, 1)),
        judge_difficulty=statistics.judge_difficulty,
        judge_discrimination=statistics.judge_discrimination,
        difficulties=DIFFICULTIES,
        distinctions=DISTINCTIONS,
        distinction_hints=DISTINCTION_HINTS,
        kinds=KINDS,
        hints=HINTS,
        signs=SIGNS,
        shown=FEEDBACK,
        presentations=PRESENTATIONS,
        **(editor.values if editor else {}),
    )


def count_questions(questions: Sequence[Question], draws: dict[str, int]) -> int:
    """Returns the number of the quiz's own questions in an attempt."""
    counts = Counter(each.pool for each in questions)
    return sum(min(count, draws.get(pool, count)) if pool else count for pool, count in counts.items())
