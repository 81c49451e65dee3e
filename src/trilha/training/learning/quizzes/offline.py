"""Tells which quizzes work without a connection."""

from typing import Literal
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.quizzes import queries as quizzes

Obstacle = Literal["", "pool", "timed", "voice"]


async def find_obstacle(tx: Tx, module_id: UUID) -> Obstacle:
    """Returns why a quiz needs a connection; empty if it does not.

    Questions of a pool or of the bank are drawn by the server, time limits run on its clock, and recordings
    are too large to be held.
    """
    quiz = await attempt_queries.find_quiz(tx, module_id)
    if quiz is None:
        return ""
    if quiz.draws or quiz.bank_draws:
        return "pool"
    if quiz.time_limit_minutes is not None:
        return "timed"
    questions = await quizzes.list_questions(tx, quiz.id)
    return "voice" if any(each.kind == "voice" for each in questions) else ""
