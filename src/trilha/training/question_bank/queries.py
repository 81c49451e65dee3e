"""The SQL of the question bank."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import dec_hook
from trilha.training.courses.lists import TAUGHT
from trilha.training.question_bank.schema import (
    BankQuestion,
    Figures,
    ImportFile,
    QuizPlace,
    TagCount,
)
from trilha.training.quizzes.queries import build_answer_key
from trilha.training.quizzes.schema import BankDraw, NewQuestion, Question

_IMPORT_AGE = timedelta(days=1)
_MAX_PLACES = 500
_QUESTIONS = """
    SELECT b.id, b.kind, b.text, b.weight, b.feedback, b.answer_key, b.author_id, b.archived_at,
           b.answers, b.difficulty, b.discrimination, b.chosen,
           ARRAY(SELECT t.tag FROM bank_question_tags t
                 WHERE t.tenant_id = :tenant AND t.question_id = b.id ORDER BY t.tag) AS tags
    FROM bank_questions b WHERE b.tenant_id = :tenant AND b.id = ANY(CAST(:ids AS uuid[]))
"""


async def list_by_ids(tx: Tx, ids: Sequence[UUID]) -> list[BankQuestion]:
    """Returns these questions in their order, without those that do not exist."""
    rows = {row["id"]: row for row in await tx.rows(_QUESTIONS, ids=ids)}
    return [_build(rows[id]) for id in dict.fromkeys(ids) if id in rows]


def _build(row: Any) -> BankQuestion:
    members = {name: row[name] for name in ("id", "kind", "text", "weight", "feedback")} | row["answer_key"]
    figures = {name: row[name] for name in ("answers", "difficulty", "discrimination", "chosen")}
    return BankQuestion(
        row["id"],
        msgspec.convert(members | {"bank_question_id": row["id"]}, Question, dec_hook=dec_hook),
        row["tags"],
        Figures(**figures),
        row["author_id"],
        row["archived_at"],
    )


async def get(tx: Tx, question_id: UUID) -> BankQuestion:
    """Raises NotFound."""
    found = await list_by_ids(tx, [question_id])
    if not found:
        raise NotFound("bank_question_not_found")
    return found[0]


async def lock(tx: Tx, ids: Sequence[UUID]) -> None:
    """Locks questions until the transaction ends."""
    await tx.execute(
        """
        SELECT FROM bank_questions WHERE tenant_id = :tenant AND id = ANY(CAST(:ids AS uuid[]))
        ORDER BY id FOR NO KEY UPDATE
        """,
        ids=ids,
    )


async def lock_bank(tx: Tx) -> None:
    """Lets one transaction at a time add questions to the bank, so that its limit holds."""
    key = "hashtextextended('question_bank ' || :tenant::uuid::text, 0)"
    await tx.execute(f"SELECT pg_advisory_xact_lock({key})")


async def count(tx: Tx) -> int:
    total: int = await tx.value("SELECT count(*) FROM bank_questions WHERE tenant_id = :tenant")
    return total


async def find_known(tx: Tx, questions: Sequence[NewQuestion]) -> set[tuple[str, str]]:
    """Returns the kind and text of those questions that the bank has and offers already."""
    rows = await tx.rows(
        """
        SELECT b.kind, b.text FROM bank_questions b
        WHERE b.tenant_id = :tenant AND b.archived_at IS NULL AND b.text = ANY(CAST(:texts AS text[]))
        """,
        texts=[each.text.strip() for each in questions],
    )
    return {(row["kind"], row["text"]) for row in rows}


async def insert(tx: Tx, questions: Sequence[NewQuestion], author_id: UUID | None) -> list[UUID]:
    """Adds questions; returns their ids in the same order."""
    plain = ("kind", "text", "weight", "feedback")
    rows = await tx.rows(
        """
        WITH new AS (
            SELECT gen_random_uuid() AS id, * FROM unnest(
                CAST(:kinds AS text[]), CAST(:texts AS text[]), CAST(:weights AS float8[]),
                CAST(:feedbacks AS text[]), CAST(:answer_keys AS jsonb[]))
                WITH ORDINALITY AS given (kind, text, weight, feedback, answer_key, place)),
        added AS (
            INSERT INTO bank_questions (tenant_id, id, kind, text, weight, feedback, answer_key, author_id,
                                        measured_at, created_at, updated_at)
            SELECT :tenant, new.id, new.kind, new.text, new.weight, new.feedback, new.answer_key,
                   CAST(:author_id AS uuid), CAST(:now AS timestamptz), CAST(:now AS timestamptz),
                   CAST(:now AS timestamptz)
            FROM new RETURNING id)
        SELECT new.id, new.place FROM new JOIN added ON added.id = new.id
        """,
        author_id=author_id,
        **{f"{name}s": [getattr(each, name) for each in questions] for name in plain},
        answer_keys=[build_answer_key(each) for each in questions],
    )
    return [row["id"] for row in sorted(rows, key=lambda row: int(row["place"]))]


async def update(tx: Tx, question_id: UUID, question: NewQuestion) -> None:
    plain = ("text", "weight", "feedback")
    await tx.execute(
        f"""
        UPDATE bank_questions SET {", ".join(f"{name} = :{name}" for name in plain)},
            answer_key = :answer_key, updated_at = :now
        WHERE tenant_id = :tenant AND id = :question_id
        """,  # noqa: S608
        question_id=question_id,
        answer_key=build_answer_key(question),
        **{name: getattr(question, name) for name in plain},
    )


async def add_tags(tx: Tx, pairs: Sequence[tuple[UUID, str]]) -> None:
    """Adds tags to questions, each pair of question and tag once."""
    await tx.execute(
        """
        INSERT INTO bank_question_tags (tenant_id, tag, question_id)
        SELECT :tenant, new.tag, new.question_id
        FROM unnest(CAST(:tags AS text[]), CAST(:ids AS uuid[])) AS new (tag, question_id)
        ON CONFLICT DO NOTHING
        """,
        tags=[tag for _, tag in pairs],
        ids=[id for id, _ in pairs],
    )


async def remove_tags(tx: Tx, question_id: UUID) -> None:
    await tx.execute(
        "DELETE FROM bank_question_tags WHERE tenant_id = :tenant AND question_id = :id", id=question_id
    )


async def set_archived(tx: Tx, ids: Sequence[UUID], *, archived: bool) -> int:
    """Returns the number of questions that changed."""
    return await tx.execute(
        """
        UPDATE bank_questions
        SET archived_at = CASE WHEN CAST(:archived AS boolean) THEN CAST(:now AS timestamptz) END,
            updated_at = :now
        WHERE tenant_id = :tenant AND id = ANY(CAST(:ids AS uuid[]))
          AND (archived_at IS NULL) = CAST(:archived AS boolean)
        """,
        ids=ids,
        archived=archived,
    )


async def list_tags(tx: Tx, limit: int = 200) -> list[TagCount]:
    """Returns the tags of the bank, the most frequent first."""
    return await tx.list(
        TagCount,
        """
        SELECT tag, count(*) AS questions FROM bank_question_tags WHERE tenant_id = :tenant
        GROUP BY tag ORDER BY questions DESC, tag LIMIT :limit
        """,
        limit=limit,
    )


async def list_drawable(tx: Tx, draw: BankDraw) -> list[UUID]:
    """Returns the questions that a rule draws from, in no order."""
    rows = await tx.rows(
        """
        SELECT b.id FROM (
            SELECT question_id FROM bank_question_tags
            WHERE tenant_id = :tenant AND tag = ANY(CAST(:tags AS text[]))
            GROUP BY question_id HAVING count(*) = :wanted) AS tagged
        JOIN bank_questions b ON b.tenant_id = :tenant AND b.id = tagged.question_id
        WHERE b.archived_at IS NULL
        """,
        tags=draw.tags,
        wanted=len(draw.tags),
    )
    return [row["id"] for row in rows]


_PLACES = f"""
    SELECT m.id AS module_id, (m.content ->> 'quiz_id')::uuid AS quiz_id, m.title, c.id AS course_id,
           c.title AS course_title
    FROM modules m JOIN courses c ON c.tenant_id = :tenant AND c.id = m.course_id
    WHERE m.tenant_id = :tenant AND m.type = 'QUIZ' AND {{}}
    ORDER BY c.title_key, m.position, m.id LIMIT {_MAX_PLACES}
"""  # noqa: S608


async def list_quizzes(tx: Tx, taught_by: UUID | None) -> list[QuizPlace]:
    """Returns the quizzes of all courses, or of those that an instructor teaches, by title."""
    if taught_by is None:
        return await tx.list(QuizPlace, _PLACES.format("c.status <> 'ARCHIVED'"))
    where = f"c.status <> 'ARCHIVED' AND c.id IN ({TAUGHT})"
    return await tx.list(QuizPlace, _PLACES.format(where), taught_by=taught_by)


async def list_uses(tx: Tx, question_id: UUID) -> list[QuizPlace]:
    """Returns the quizzes that have a copy of the question."""
    return await tx.list(
        QuizPlace,
        _PLACES.format(
            """(m.content ->> 'quiz_id')::uuid IN (
                SELECT quiz_id FROM questions
                WHERE tenant_id = :tenant AND bank_question_id = :question_id)"""
        ),
        question_id=question_id,
    )


async def insert_import(tx: Tx, user_id: UUID, file_name: str, content: bytes) -> UUID:
    """Keeps a file for the preview, and removes old ones."""
    await tx.execute(
        "DELETE FROM question_imports WHERE tenant_id = :tenant AND created_at < :before",
        before=tx.now - _IMPORT_AGE,
    )
    id: UUID = await tx.value(
        """
        INSERT INTO question_imports (tenant_id, user_id, file_name, content, created_at)
        VALUES (:tenant, :user_id, :file_name, :content, :now) RETURNING id
        """,
        user_id=user_id,
        file_name=file_name,
        content=content,
    )
    return id


async def get_import(tx: Tx, import_id: UUID, user_id: UUID) -> ImportFile:
    """Returns a file that this person has sent. Raises NotFound."""
    found = await tx.find(
        ImportFile,
        """
        SELECT id, user_id, file_name, content FROM question_imports
        WHERE tenant_id = :tenant AND id = :id AND user_id = :user_id
        """,
        id=import_id,
        user_id=user_id,
    )
    if found is None:
        raise NotFound("question_import_not_found")
    return found


async def delete_import(tx: Tx, import_id: UUID) -> bool:
    """Returns False if the file was imported or removed meanwhile."""
    sql = "DELETE FROM question_imports WHERE tenant_id = :tenant AND id = :id"
    return bool(await tx.execute(sql, id=import_id))


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes the uploads of a person. Questions stay, with their author's erased name."""
    await tx.execute(
        "DELETE FROM question_imports WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def update_figures(tx: Tx, figures: Mapping[UUID, Figures]) -> None:
    await tx.execute(
        """
        UPDATE bank_questions SET answers = new.answers, difficulty = new.difficulty,
            discrimination = new.discrimination, chosen = new.chosen
        FROM unnest(CAST(:ids AS uuid[]), CAST(:answers AS int[]), CAST(:difficulties AS float8[]),
                    CAST(:discriminations AS float8[]), CAST(:chosen AS jsonb[]))
             AS new (id, answers, difficulty, discrimination, chosen)
        WHERE bank_questions.tenant_id = :tenant AND bank_questions.id = new.id
        """,
        ids=list(figures),
        answers=[each.answers for each in figures.values()],
        difficulties=[each.difficulty for each in figures.values()],
        discriminations=[each.discrimination for each in figures.values()],
        chosen=[each.chosen for each in figures.values()],
    )
