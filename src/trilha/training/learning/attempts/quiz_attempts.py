"""Begins attempts at quizzes. Each attempt draws its questions once."""

from random import SystemRandom
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.training.learning.attempts import queries
from trilha.training.learning.attempts.schema import Attempt, SavedAttempt
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.question_bank import drawing as bank
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
        quiz = await queries.find_quiz(tx, module_id)
        if quiz is None or not await has_questions(tx, quiz):
            raise Conflict("module_without_content")


async def has_questions(tx: Tx, quiz: Quiz) -> bool:
    """Tells whether an attempt at the quiz would ask anything."""
    if await quizzes.list_questions(tx, quiz.id):
        return True
    return any(await bank.count_drawable(tx, quiz.bank_draws))


async def begin(tx: Tx, enrollment_id: UUID, module_id: UUID, number: int) -> Attempt:
    """Begins the attempt of this number. Raises Conflict (module_without_content)."""
    quiz = await queries.find_quiz(tx, module_id)
    asked = await _draw(tx, quiz) if quiz else []
    if quiz is None or not asked:
        raise Conflict("module_without_content")
    attempt = await queries.insert_attempt(tx, enrollment_id, module_id, number)
    await queries.insert_quiz_attempt(tx, attempt.id, quiz, asked)
    return attempt


async def _draw(tx: Tx, quiz: Quiz) -> list[Question]:
    chance = SystemRandom()
    questions = await quizzes.list_questions(tx, quiz.id)
    present = {each.bank_question_id for each in questions}
    from_bank = await bank.draw(tx, quiz.bank_draws, present, chance) if quiz.bank_draws else []
    return drawing.draw(quiz, questions, chance, from_bank)
