"""The SQL of attempts. The caller holds the lock of the log's head wherever it changes something."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.types import dec_hook
from trilha.training.learning.attempts.schema import Attempt, QuizAttempt, SavedAttempt
from trilha.training.quizzes import queries as quizzes
from trilha.training.quizzes.schema import Question, Quiz
from trilha.training.scorm.runtime.interactions import Interaction

_COLUMNS = columns_of(Attempt).replace("last_event", "told AS last_event")
JOINED_COLUMNS = columns_of(Attempt, "a").replace("a.last_event AS", "a.told AS")
_SELECT_SAVED = f"""
    SELECT {_COLUMNS}, cmi, (
        SELECT COALESCE(sum(l.credited_seconds), 0) FROM launches l
        WHERE l.tenant_id = :tenant AND l.attempt_id = attempts.id) AS seconds
    FROM attempts
"""  # noqa: S608


async def find_attempt(tx: Tx, attempt_id: UUID) -> Attempt | None:
    sql = f"SELECT {_COLUMNS} FROM attempts WHERE tenant_id = :tenant AND id = :attempt_id"  # noqa: S608
    return await tx.find(Attempt, sql, attempt_id=attempt_id)


async def find_last_attempt(tx: Tx, enrollment_id: UUID, module_id: UUID) -> SavedAttempt | None:
    return await _find_saved(
        tx,
        """
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
        ORDER BY number DESC LIMIT 1
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
    )


async def get_saved_attempt(tx: Tx, attempt_id: UUID) -> SavedAttempt:
    """Returns an existing attempt with its saved state."""
    saved = await _find_saved(tx, "WHERE tenant_id = :tenant AND id = :attempt_id", attempt_id=attempt_id)
    assert saved is not None
    return saved


async def _find_saved(tx: Tx, where: str, **params: Any) -> SavedAttempt | None:
    rows = await tx.rows(_SELECT_SAVED + where, **params)
    if not rows:
        return None
    cmi = rows[0]["cmi"]
    state = None if cmi is None else msgspec.json.decode(cmi)
    return SavedAttempt(structs_of(Attempt, rows)[0], state, rows[0]["seconds"])


async def insert_attempt(tx: Tx, enrollment_id: UUID, module_id: UUID, number: int, **scorm: Any) -> Attempt:
    attempt = await tx.find(
        Attempt,
        f"""
        INSERT INTO attempts (tenant_id, enrollment_id, module_id, number, package_id, item, version,
                              settings, started_at)
        VALUES (:tenant, :enrollment_id, :module_id, :number, :package_id, :item, :version, :settings, :now)
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        module_id=module_id,
        number=number,
        **({"package_id": None, "item": None, "version": None, "settings": {}} | scorm),
    )
    assert attempt is not None
    return attempt


async def insert_quiz_attempt(tx: Tx, attempt_id: UUID, quiz: Quiz, questions: Sequence[Question]) -> None:
    await tx.execute(
        """
        INSERT INTO quiz_attempts (tenant_id, attempt_id, quiz_id, questions, pass_mark, feedback,
                                   presentation, time_limit_minutes)
        VALUES (:tenant, :attempt_id, :quiz_id, :questions, :pass_mark, :feedback, :presentation,
                :time_limit_minutes)
        """,
        attempt_id=attempt_id,
        quiz_id=quiz.id,
        questions=questions,
        pass_mark=quiz.pass_mark,
        feedback=quiz.feedback,
        presentation=quiz.presentation,
        time_limit_minutes=quiz.time_limit_minutes,
    )


async def find_quiz_attempt(tx: Tx, attempt_id: UUID) -> QuizAttempt | None:
    """Returns None if the attempt is not one at a quiz."""
    rows = await tx.rows(
        f"""
        SELECT {columns_of(QuizAttempt)} FROM quiz_attempts
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
        """,  # noqa: S608
        attempt_id=attempt_id,
    )
    if not rows:
        return None
    members = dict(rows[0])
    questions = msgspec.convert(members.pop("questions"), list[Question], dec_hook=dec_hook)
    return QuizAttempt(questions=questions, **members)


async def find_quiz(tx: Tx, module_id: UUID) -> Quiz | None:
    """Returns the quiz that the module shows now."""
    quiz_id: UUID | None = await tx.value(
        """
        SELECT (content ->> 'quiz_id')::uuid FROM modules
        WHERE tenant_id = :tenant AND id = :module_id AND type = 'QUIZ'
        """,
        module_id=module_id,
    )
    return await quizzes.find(tx, quiz_id) if quiz_id else None


_COLUMN_TYPES = {"index": "int", "latency_seconds": "float8", "weighting": "float8"}
_INTERACTION = Interaction.__struct_fields__


async def store_interactions(tx: Tx, attempt_id: UUID, interactions: Sequence[Interaction]) -> None:
    """Stores the interactions that are new or have changed.

    The database compares them with what is stored, which may be megabytes. Every commit repeats the answers
    of earlier launches, and their latency may be longer than the current launch: that is not a change.
    """
    compared = [name for name in _INTERACTION if name not in ("index", "latency_seconds")]
    await tx.execute(
        f"""
        INSERT INTO interactions (tenant_id, attempt_id, {", ".join(_INTERACTION)}, updated_at)
        SELECT :tenant, :attempt_id, new.*, :now
        FROM unnest({", ".join(f":{name}::{_COLUMN_TYPES.get(name, 'text')}[]" for name in _INTERACTION)})
            AS new ({", ".join(_INTERACTION)})
        WHERE NOT EXISTS (
            SELECT FROM interactions old
            WHERE old.tenant_id = :tenant AND old.attempt_id = :attempt_id AND old.index = new.index
              AND (new.latency_seconds IS NULL OR new.latency_seconds = old.latency_seconds)
              AND ({", ".join(f"new.{name}" for name in compared)})
                  IS NOT DISTINCT FROM ({", ".join(f"old.{name}" for name in compared)}))
        ON CONFLICT (tenant_id, attempt_id, index) DO UPDATE SET
            {", ".join(f"{name} = excluded.{name}" for name in (*_INTERACTION[1:], "updated_at"))}
        """,  # noqa: S608
        attempt_id=attempt_id,
        **{name: [getattr(interaction, name) for interaction in interactions] for name in _INTERACTION},
    )
