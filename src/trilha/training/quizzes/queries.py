"""The SQL of quizzes and their questions."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.types import dec_hook
from trilha.training.quizzes.schema import KEY_MEMBERS, BankDraw, NewQuestion, Question, Quiz, QuizSettings

_QUIZ = f"SELECT {columns_of(Quiz)} FROM quizzes WHERE tenant_id = :tenant AND id = :quiz_id"  # noqa: S608
_SETTINGS = QuizSettings.__struct_fields__
_PLAIN = ("kind", "text", "weight", "pool", "feedback")
_QUESTIONS = """
    SELECT id, bank_question_id, kind, text, weight, pool, feedback, answer_key FROM questions
    WHERE tenant_id = :tenant AND quiz_id = :quiz_id
"""


async def find(tx: Tx, quiz_id: UUID) -> Quiz | None:
    rows = await tx.rows(_QUIZ, quiz_id=quiz_id)
    return _quiz(rows[0]) if rows else None


def _quiz(row: Any) -> Quiz:
    return Quiz(**dict(row) | {"bank_draws": msgspec.convert(row["bank_draws"], list[BankDraw])})


async def get(tx: Tx, quiz_id: UUID) -> Quiz:
    """Raises NotFound."""
    if (found := await find(tx, quiz_id)) is None:
        raise NotFound("quiz_not_found")
    return found


async def lock(tx: Tx, quiz_id: UUID) -> Quiz:
    """Locks the quiz and its questions until the transaction ends. Raises NotFound."""
    rows = await tx.rows(f"{_QUIZ} FOR NO KEY UPDATE", quiz_id=quiz_id)
    if not rows:
        raise NotFound("quiz_not_found")
    return _quiz(rows[0])


async def insert(tx: Tx, settings: QuizSettings) -> UUID:
    quiz_id: UUID = await tx.value(
        f"""
        INSERT INTO quizzes (tenant_id, {", ".join(_SETTINGS)}, created_at, updated_at)
        VALUES (:tenant, {", ".join(f":{name}" for name in _SETTINGS)}, :now, :now) RETURNING id
        """,  # noqa: S608
        **{name: getattr(settings, name) for name in _SETTINGS},
    )
    return quiz_id


async def update(tx: Tx, quiz_id: UUID, values: Mapping[str, Any]) -> None:
    """Updates the quiz; without values it only notes that the questions changed."""
    await tx.execute(
        f"""
        UPDATE quizzes SET {"".join(f"{name} = :{name}, " for name in values)}updated_at = :now
        WHERE tenant_id = :tenant AND id = :quiz_id
        """,  # noqa: S608
        quiz_id=quiz_id,
        **values,
    )


async def copy(tx: Tx, quiz_id: UUID) -> UUID:
    """Copies a quiz with its questions."""
    columns = ", ".join(_SETTINGS)
    copied: UUID = await tx.value(
        f"""
        INSERT INTO quizzes (tenant_id, {columns}, created_at, updated_at)
        SELECT tenant_id, {columns}, :now, :now FROM quizzes
        WHERE tenant_id = :tenant AND id = :quiz_id RETURNING id
        """,  # noqa: S608
        quiz_id=quiz_id,
    )
    await tx.execute(
        """
        INSERT INTO questions (tenant_id, quiz_id, position, kind, text, weight, pool, feedback, answer_key,
                               bank_question_id, created_at, updated_at)
        SELECT tenant_id, CAST(:into AS uuid), position, kind, text, weight, pool, feedback, answer_key,
               bank_question_id, CAST(:now AS timestamptz), CAST(:now AS timestamptz)
        FROM questions WHERE tenant_id = :tenant AND quiz_id = :quiz_id
        RETURNING tenant_id
        """,
        quiz_id=quiz_id,
        into=copied,
    )
    return copied


async def list_questions(tx: Tx, quiz_id: UUID) -> list[Question]:
    """Lists the questions in the author's order."""
    rows = await tx.rows(f"{_QUESTIONS} ORDER BY position, id", quiz_id=quiz_id)
    return [_question(row) for row in rows]


async def get_question(tx: Tx, quiz_id: UUID, question_id: UUID) -> Question:
    """Raises NotFound."""
    rows = await tx.rows(f"{_QUESTIONS} AND id = :question_id", quiz_id=quiz_id, question_id=question_id)
    if not rows:
        raise NotFound("question_not_found")
    return _question(rows[0])


def _question(row: Any) -> Question:
    members = {name: row[name] for name in ("id", "bank_question_id", *_PLAIN)} | row["answer_key"]
    return msgspec.convert(members, Question, dec_hook=dec_hook)


def build_answer_key(question: NewQuestion) -> dict[str, Any]:
    """Returns the members that are stored together."""
    given = msgspec.to_builtins(question)
    return {name: given[name] for name in KEY_MEMBERS if name in given}


async def insert_questions(
    tx: Tx, quiz_id: UUID, questions: Sequence[NewQuestion], bank_ids: Sequence[UUID | None] = ()
) -> list[UUID]:
    """Appends questions; returns their ids in the same order. `bank_ids` are the questions of the bank that
    they are copies of.
    """
    rows = await tx.rows(
        """
        INSERT INTO questions (tenant_id, quiz_id, position, kind, text, weight, pool, feedback, answer_key,
                               bank_question_id, created_at, updated_at)
        SELECT :tenant, :quiz_id, new.ordinality + (
                   SELECT COALESCE(max(position), 0) FROM questions
                   WHERE tenant_id = :tenant AND quiz_id = :quiz_id),
               new.kind, new.text, new.weight, new.pool, new.feedback, new.answer_key, new.bank_id,
               :now, :now
        FROM unnest(:kinds::text[], :texts::text[], :weights::float8[], :pools::text[], :feedbacks::text[],
                    :answer_keys::jsonb[], :bank_ids::uuid[])
             WITH ORDINALITY AS new (kind, text, weight, pool, feedback, answer_key, bank_id, ordinality)
        RETURNING id, position
        """,
        quiz_id=quiz_id,
        **{f"{name}s": [getattr(each, name) for each in questions] for name in _PLAIN},
        answer_keys=[build_answer_key(each) for each in questions],
        bank_ids=list(bank_ids) or [None] * len(questions),
    )
    return [row["id"] for row in sorted(rows, key=lambda row: int(row["position"]))]


async def update_question(tx: Tx, question_id: UUID, question: Question) -> None:
    await tx.execute(
        f"""
        UPDATE questions SET {", ".join(f"{name} = :{name}" for name in _PLAIN)},
            answer_key = :answer_key, bank_question_id = :bank_question_id, updated_at = :now
        WHERE tenant_id = :tenant AND id = :question_id
        """,  # noqa: S608
        question_id=question_id,
        bank_question_id=question.bank_question_id,
        answer_key=build_answer_key(question),
        **{name: getattr(question, name) for name in _PLAIN},
    )


async def link_to_bank(tx: Tx, question_id: UUID, bank_question_id: UUID) -> None:
    """Makes a question of a quiz the copy of a question of the bank."""
    await tx.execute(
        """
        UPDATE questions SET bank_question_id = :bank_question_id
        WHERE tenant_id = :tenant AND id = :question_id
        """,
        question_id=question_id,
        bank_question_id=bank_question_id,
    )


async def delete_question(tx: Tx, question_id: UUID) -> None:
    sql = "DELETE FROM questions WHERE tenant_id = :tenant AND id = :question_id"
    await tx.execute(sql, question_id=question_id)


async def set_order(tx: Tx, question_ids: Sequence[UUID]) -> None:
    """Sets the order of all questions of a quiz, from position 1."""
    await tx.execute(
        """
        UPDATE questions SET position = wanted.position
        FROM unnest(:ids::uuid[]) WITH ORDINALITY AS wanted (id, position)
        WHERE questions.tenant_id = :tenant AND questions.id = wanted.id
        """,
        ids=question_ids,
    )
