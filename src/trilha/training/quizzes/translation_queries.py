"""The stored translations of questions. Owns `question_translations`."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.training.quizzes.schema import Question
from trilha.training.quizzes.translations import QuestionTexts, QuestionTranslation, compute_digest


async def load(tx: Tx, question_ids: Sequence[UUID], language: str) -> Mapping[UUID, QuestionTranslation]:
    rows = await tx.rows(
        """
        SELECT question_id, texts, source, is_outdated FROM question_translations
        WHERE tenant_id = :tenant AND question_id = ANY(:ids) AND language = :language
        """,
        ids=list(question_ids),
        language=language,
    )
    return {
        row["question_id"]: QuestionTranslation(
            msgspec.convert(row["texts"], QuestionTexts), row["source"], row["is_outdated"]
        )
        for row in rows
    }


async def put(tx: Tx, question: Question, language: str, texts: QuestionTexts) -> None:
    await tx.execute(
        """
        INSERT INTO question_translations (tenant_id, question_id, language, texts, source, updated_at)
        VALUES (:tenant, :question_id, :language, :texts, :source, :now)
        ON CONFLICT (tenant_id, question_id, language)
        DO UPDATE SET texts = excluded.texts, source = excluded.source, is_outdated = false,
                      updated_at = excluded.updated_at
        """,
        question_id=question.id,
        language=language,
        texts=texts,
        source=compute_digest(question),
    )


async def delete(tx: Tx, question_id: UUID, language: str) -> None:
    await tx.execute(
        """
        DELETE FROM question_translations
        WHERE tenant_id = :tenant AND question_id = :question_id AND language = :language
        """,
        question_id=question_id,
        language=language,
    )


async def note_change(tx: Tx, question: Question) -> None:
    """Marks the translations that were made of other texts."""
    await tx.execute(
        """
        UPDATE question_translations SET is_outdated = source <> :source
        WHERE tenant_id = :tenant AND question_id = :question_id
        """,
        question_id=question.id,
        source=compute_digest(question),
    )


async def copy(tx: Tx, quiz_id: UUID, into: UUID) -> None:
    """Copies the translations to a copy of the quiz, whose questions have the same positions."""
    await tx.execute(
        """
        INSERT INTO question_translations (tenant_id, question_id, language, texts, source, is_outdated,
                                           updated_at)
        SELECT t.tenant_id, c.id, t.language, t.texts, t.source, t.is_outdated, CAST(:now AS timestamptz)
        FROM questions q
        JOIN questions c ON c.tenant_id = q.tenant_id AND c.quiz_id = :into AND c.position = q.position
        JOIN question_translations t ON t.tenant_id = q.tenant_id AND t.question_id = q.id
        WHERE q.tenant_id = :tenant AND q.quiz_id = :quiz_id
        ON CONFLICT DO NOTHING
        RETURNING tenant_id
        """,
        quiz_id=quiz_id,
        into=into,
    )
