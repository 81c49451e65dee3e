"""The SQL of what an attempt at a quiz asks."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of
from trilha.core.types import dec_hook
from trilha.learning.attempts.schema import QuizAttempt
from trilha.quizzes.schema import Question, Quiz

_COLUMNS = columns_of(QuizAttempt)


async def insert_quiz_attempt(tx: Tx, attempt_id: UUID, quiz: Quiz, questions: Sequence[Question]) -> None:
    await tx.execute(
        """
        INSERT INTO quiz_attempts (tenant_id, attempt_id, quiz_id, questions, pass_mark, feedback)
        VALUES (:tenant, :attempt_id, :quiz_id, :questions, :pass_mark, :feedback)
        """,
        attempt_id=attempt_id,
        quiz_id=quiz.id,
        questions=questions,
        pass_mark=quiz.pass_mark,
        feedback=quiz.feedback,
    )


async def find_quiz_attempt(tx: Tx, attempt_id: UUID) -> QuizAttempt | None:
    rows = await tx.rows(
        f"SELECT {_COLUMNS} FROM quiz_attempts WHERE tenant_id = :tenant AND attempt_id = :attempt_id",  # noqa: S608
        attempt_id=attempt_id,
    )
    if not rows:
        return None
    members = dict(rows[0])
    questions = msgspec.convert(members.pop("questions"), list[Question], dec_hook=dec_hook)
    return QuizAttempt(questions=questions, **members)


async def find_quiz_id(tx: Tx, module_id: UUID) -> UUID | None:
    """That the module asks now."""
    found: UUID | None = await tx.value(
        """
        SELECT (content ->> 'quiz_id')::uuid FROM modules
        WHERE tenant_id = :tenant AND id = :module_id AND type = 'QUIZ'
        """,
        module_id=module_id,
    )
    return found
