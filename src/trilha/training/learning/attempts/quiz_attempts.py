"""Begins attempts at quizzes. Each attempt draws its questions once."""

from collections.abc import Sequence
from random import SystemRandom
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.training.learning.attempts import queries
from trilha.training.learning.attempts.schema import Attempt, SavedAttempt
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.quizzes import drawing
from trilha.training.quizzes import queries as quizzes
from trilha.training.quizzes.schema import Question, Quiz


async def continue_or_begin(tx: Tx, head: LogHead, module_id: UUID, last: SavedAttempt | None) -> Attempt:
    """Returns the last attempt, handed in or not, or begins the first one.

    Raises Conflict (module_without_content).
    """
    if last is not None and await queries.find_quiz_attempt(tx, last.attempt.id) is not None:
        return last.attempt
    return await begin(tx, head.enrollment_id, module_id, last.attempt.number + 1 if last else 1)


async def check_quiz(tx: Tx, enrollment_id: UUID, module_id: UUID) -> None:
    """Raises Conflict (module_without_content) if `continue_or_begin` would."""
    last = await queries.find_last_attempt(tx, enrollment_id, module_id)
    if last is None or await queries.find_quiz_attempt(tx, last.attempt.id) is None:
        await _get_quiz(tx, module_id)


async def begin(tx: Tx, enrollment_id: UUID, module_id: UUID, number: int) -> Attempt:
    """Begins the attempt of this number. Raises Conflict (module_without_content)."""
    quiz, questions = await _get_quiz(tx, module_id)
    attempt = await queries.insert_attempt(tx, enrollment_id, module_id, number)
    await queries.insert_quiz_attempt(tx, attempt.id, quiz, drawing.draw(quiz, questions, SystemRandom()))
    return attempt


async def _get_quiz(tx: Tx, module_id: UUID) -> tuple[Quiz, Sequence[Question]]:
    """Returns the module's quiz with its questions. Raises Conflict (module_without_content)."""
    quiz = await queries.find_quiz(tx, module_id)
    questions = await quizzes.list_questions(tx, quiz.id) if quiz else []
    if quiz is None or not questions:
        raise Conflict("module_without_content")
    return quiz, questions
