"""Grades attempts at quizzes, and decides what the learner sees of them. No I/O, no clock."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.training.learning.attempts.schema import QuizAttempt
from trilha.training.learning.quizzes.schema import Answer, QuestionView, QuizPhase
from trilha.training.quizzes import grading, responses
from trilha.training.quizzes.schema import GRADED_BY_PEOPLE, Question
from trilha.training.scorm.runtime.interactions import Interaction, Type
from trilha.training.scorm.runtime.mapping import State

_INTERACTION_TYPES: Mapping[str, Type] = {
    "single": "choice",
    "multiple": "choice",
    "true_false": "true-false",
    "numeric": "numeric",
    "fill_in": "fill-in",
    "essay": "long-fill-in",
    "voice": "other",
}
_MAX_LATENCY = 24 * 3600.0
# What was sent in time may arrive this much after the deadline.
GRACE = timedelta(seconds=30)
Answers = Mapping[UUID, Answer]  # by question


def is_time_over(quiz: QuizAttempt, now: datetime) -> bool:
    """Tells whether nothing that arrives now can count anymore."""
    remaining = quiz.count_remaining_seconds(now)
    return remaining is not None and remaining < -GRACE.total_seconds()


def decide_phase(quiz: QuizAttempt, now: datetime) -> QuizPhase:
    """Decides what the learner's page shows."""
    if quiz.state != "OPEN":
        return "result"
    if not quiz.is_started:
        return "start"
    remaining = quiz.count_remaining_seconds(now)
    return "closing" if remaining is not None and remaining <= 0 else "questions"


def compute_open_state(quiz: QuizAttempt, answered: int) -> State:
    """Returns the state of an attempt before it is handed in. Its progress never reaches 100."""
    share = 100 * answered / len(quiz.questions)
    return State(completion="incomplete", progress=min(99.0, round(share, 2)))


def compute_final_state(quiz: QuizAttempt, answers: Answers) -> State:
    """Returns the state of an attempt after it was handed in.

    The attempt is neither passed nor failed while an answer awaits a person's grade.
    """
    points = [_get_points(answers.get(question.id)) for question in quiz.questions]
    if None in points:
        return State(completion="incomplete", progress=100.0)
    weights = [question.weight for question in quiz.questions]
    score = grading.score(zip([value or 0.0 for value in points], weights, strict=True))
    passed = grading.is_passed(score, quiz.pass_mark)
    return State(
        completion="completed", success="passed" if passed else "failed", score=score, progress=100.0
    )


def grade_answers(quiz: QuizAttempt, answers: Answers) -> dict[UUID, float | None]:
    """Returns the points of the answers by question; None if a person has to grade the answer."""
    points = dict[UUID, float | None]()
    for question in quiz.questions:
        if (answer := answers.get(question.id)) is not None:
            right = grading.is_right(question, answer.response)
            points[question.id] = None if right is None else question.weight if right else 0.0
    return points


def _get_points(answer: Answer | None) -> float | None:
    return 0.0 if answer is None else answer.points


def read_latency(value: object, seconds_since_start: float) -> float:
    """Returns for how many seconds the learner looked at a question, as the browser says.

    It cannot be longer than the attempt, nor longer than a day.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        return 0.0
    return round(float(min(value, max(seconds_since_start, 0.0), _MAX_LATENCY)), 2)


def build_interactions(quiz: QuizAttempt, answers: Answers) -> list[Interaction]:
    """Returns all questions and answers of an attempt that was handed in, in their order."""
    return [
        _build_interaction(index, question, answers.get(question.id))
        for index, question in enumerate(quiz.questions)
    ]


def _build_interaction(index: int, question: Question, answer: Answer | None) -> Interaction:
    response = None if answer is None else answer.response
    text = responses.format_response(question, response)
    points = _get_points(answer)
    return Interaction(
        index=index,
        interaction_id=str(question.id),
        type=_INTERACTION_TYPES[question.kind],
        description=question.text,
        response="voice recording" if answer and question.kind == "voice" else text,
        raw_response="[,]".join(response) if isinstance(response, list) else text,
        correct_response=responses.format_right_answer(question),
        result="neutral" if points is None else grading.result(points, question.weight),
        latency_seconds=None if answer is None else answer.latency_seconds,
        weighting=question.weight,
        client_time="",
    )


def build_question_views(
    quiz: QuizAttempt, answers: Answers, languages: Mapping[UUID, str] | None = None
) -> list[QuestionView]:
    """Returns what the learner may see now; no right answer before the attempt is handed in. `languages` are
    those of translated questions.
    """
    return [
        _build_question_view(quiz, question, answers.get(question.id), (languages or {}).get(question.id, ""))
        for question in quiz.questions
    ]


def _build_question_view(
    quiz: QuizAttempt, question: Question, answer: Answer | None, language: str
) -> QuestionView:
    response = None if answer is None else answer.response
    view = QuestionView(
        id=question.id,
        kind=question.kind,
        text=question.text,
        weight=question.weight,
        choices=[(choice.id, choice.text) for choice in question.choices],
        longest_seconds=question.longest_seconds,
        longest_characters=question.longest_characters,
        picture=question.picture,
        audio=question.audio,
        choice_pictures={choice.id: choice.picture for choice in question.choices if choice.picture},
        response=response,
        language=language,
    )
    return view if quiz.state == "OPEN" else structs.replace(view, **_list_results(quiz, question, answer))


def _list_results(quiz: QuizAttempt, question: Question, answer: Answer | None) -> dict[str, Any]:
    """Returns the members of a `QuestionView` that a learner sees after handing in."""
    points = _get_points(answer)
    members = dict[str, Any]()
    if question.kind != "voice":
        members["shown_response"] = responses.format_response(
            question, None if answer is None else answer.response
        )
    if question.kind in GRADED_BY_PEOPLE and answer is not None:
        # The learner always sees the grader's comment on their own answer, whatever the quiz shows.
        members["comment"] = answer.comment
        members["result"] = "awaiting" if points is None else ""
    if quiz.feedback != "never" and points is not None:
        members["points"] = points
        members["result"] = "right" if points >= question.weight else "part" if points > 0 else "wrong"
        members["feedback"] = question.feedback
    if quiz.feedback == "answers" and question.kind not in GRADED_BY_PEOPLE:
        members["right_answer"] = responses.format_right_answer(question)
    return members


def add_up_points(quiz: QuizAttempt, answers: Answers) -> tuple[float, float]:
    """Returns the points that the answers have earned, and the most that the attempt can earn."""
    points = sum(_get_points(answers.get(question.id)) or 0.0 for question in quiz.questions)
    return points, sum(question.weight for question in quiz.questions)


def count_attempts_left(allowed: int | None, number: int) -> int | None:
    """Returns how many attempts may follow this one; None if the number is not limited."""
    return None if allowed is None else max(allowed - number, 0)
