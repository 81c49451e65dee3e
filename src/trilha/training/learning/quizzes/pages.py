"""Reads an attempt at a quiz as its learner sees it."""

from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import QuizAttempt
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.quizzes import queries, rules
from trilha.training.learning.quizzes.actions import may_begin_again
from trilha.training.learning.quizzes.schema import QuizView
from trilha.training.quizzes import translation_queries, translations


async def get_quiz_view(tx: Tx, launch_id: UUID, language: str = "") -> QuizView:
    """Returns the attempt of a launch, with its questions in a further `language` of the course where they
    are translated. Raises NotFound (launch_not_found) if it is no launch of a quiz.
    """
    _, attempt = await launch_queries.get_launch(tx, launch_id)
    quiz_attempt = await attempt_queries.find_quiz_attempt(tx, attempt.id)
    head = await evidence_queries.find_head(tx, attempt.enrollment_id)
    if quiz_attempt is None or head is None:
        raise NotFound("launch_not_found")
    quiz = await attempt_queries.find_quiz(tx, attempt.module_id)
    graded = quiz_attempt.state == "GRADED"
    phase = rules.decide_phase(quiz_attempt, tx.now)
    answers = await queries.list_answers(tx, attempt.id)
    points, total = rules.add_up_points(quiz_attempt, answers)
    is_shown = phase in ("questions", "result")
    languages: dict[UUID, str] = {}
    if is_shown and language:
        quiz_attempt, languages = await _translate(tx, quiz_attempt, language)
    return QuizView(
        state=quiz_attempt.state,
        phase=phase,
        presentation=quiz_attempt.presentation,
        time_limit_minutes=quiz_attempt.time_limit_minutes,
        remaining_seconds=quiz_attempt.count_remaining_seconds(tx.now),
        question_count=len(quiz_attempt.questions),
        attempt=attempt.number,
        attempts_left=rules.count_attempts_left(quiz.attempts if quiz else attempt.number, attempt.number),
        may_begin_again=await may_begin_again(tx, head, attempt, quiz_attempt, quiz),
        pass_mark=quiz_attempt.pass_mark,
        feedback=quiz_attempt.feedback,
        score=attempt.score if graded else None,
        points=points if graded else None,
        total_points=total,
        passed=attempt.success == "passed" if graded else None,
        questions=rules.build_question_views(quiz_attempt, answers, languages) if is_shown else [],
    )


async def _translate(tx: Tx, quiz_attempt: QuizAttempt, language: str) -> tuple[QuizAttempt, dict[UUID, str]]:
    """Returns the attempt with translated questions, and the language of each that is translated."""
    found = await translation_queries.load(tx, [each.id for each in quiz_attempt.questions], language)
    questions = [translations.translate(each, found.get(each.id)) for each in quiz_attempt.questions]
    pairs = zip(questions, quiz_attempt.questions, strict=True)
    languages = {after.id: language for after, before in pairs if after is not before}
    return structs.replace(quiz_attempt, questions=questions), languages
