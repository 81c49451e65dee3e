"""The SQL of translations."""

from collections.abc import Mapping
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.courses.translations.schema import (
    CourseTranslation,
    LanguageProgress,
    TranslatedModule,
)

_OF_COURSE = "tenant_id = :tenant AND course_id = :course_id AND language = :language"


async def find(tx: Tx, course_id: UUID, language: str) -> CourseTranslation | None:
    return await tx.find(
        CourseTranslation,
        f"SELECT language, title, description, revision FROM course_translations WHERE {_OF_COURSE}",  # noqa: S608
        course_id=course_id,
        language=language,
    )


async def insert(tx: Tx, course_id: UUID, language: str) -> bool:
    """Adds a language without texts; returns False if the course has it."""
    return bool(
        await tx.execute(
            """
            INSERT INTO course_translations (tenant_id, course_id, language, created_at, updated_at)
            VALUES (:tenant, :course_id, :language, :now, :now) ON CONFLICT DO NOTHING
            """,
            course_id=course_id,
            language=language,
        )
    )


async def update(tx: Tx, course_id: UUID, language: str, title: str | None, description: str | None) -> None:
    await tx.execute(
        f"""
        UPDATE course_translations SET title = :title, description = :description, revision = revision + 1,
                                       updated_at = :now
        WHERE {_OF_COURSE}
        """,  # noqa: S608
        course_id=course_id,
        language=language,
        title=title,
        description=description,
    )


async def put_titles(tx: Tx, course_id: UUID, language: str, titles: Mapping[UUID, str]) -> None:
    """Sets the titles of modules of the course."""
    await tx.execute(
        """
        INSERT INTO module_translations (tenant_id, module_id, language, course_id, title)
        SELECT :tenant, new.id, CAST(:language AS text), CAST(:course_id AS uuid), new.title
        FROM unnest(:ids::uuid[], :titles::text[]) AS new (id, title)
        ON CONFLICT (tenant_id, module_id, language) DO UPDATE SET title = excluded.title
        RETURNING module_id
        """,
        course_id=course_id,
        language=language,
        ids=list(titles),
        titles=list(titles.values()),
    )


async def delete_other_titles(tx: Tx, course_id: UUID, language: str, titles: Mapping[UUID, str]) -> None:
    """Deletes the titles of all modules but these."""
    await tx.execute(
        f"DELETE FROM module_translations WHERE {_OF_COURSE} AND module_id <> ALL(:ids)",  # noqa: S608
        course_id=course_id,
        language=language,
        ids=list(titles),
    )


async def delete(tx: Tx, course_id: UUID, language: str) -> bool:
    """Removes a language with everything that was written in it; returns False if the course lacks it."""
    deleted = await tx.execute(
        f"DELETE FROM course_translations WHERE {_OF_COURSE}",  # noqa: S608
        course_id=course_id,
        language=language,
    )
    for table in ("lesson_versions", "lesson_drafts", "rendered_lessons"):
        await tx.execute(
            f"""
            DELETE FROM {table} WHERE tenant_id = :tenant AND language = :language AND module_id IN (
                SELECT id FROM all_modules WHERE tenant_id = :tenant AND course_id = :course_id)
            """,  # noqa: S608
            course_id=course_id,
            language=language,
        )
    await tx.execute(
        """
        DELETE FROM question_translations
        WHERE tenant_id = :tenant AND language = :language AND question_id IN (
            SELECT q.id FROM questions q
            JOIN all_modules m ON m.tenant_id = :tenant AND (m.content ->> 'quiz_id')::uuid = q.quiz_id
            WHERE q.tenant_id = :tenant AND m.course_id = :course_id)
        """,
        course_id=course_id,
        language=language,
    )
    return bool(deleted)


async def list_modules(tx: Tx, course_id: UUID, language: str) -> list[TranslatedModule]:
    """Lists the modules in the order of the course."""
    return await tx.list(
        TranslatedModule,
        """
        SELECT m.id, m.position, m.type, m.title AS source_title,
               m.type = 'ARTICLE' AND COALESCE(m.body, '') <> '' AS has_source_text, t.title,
               EXISTS (SELECT FROM lesson_versions v WHERE v.tenant_id = :tenant AND v.module_id = m.id
                       AND v.language = :language) AS has_lesson,
               (SELECT count(*) FROM questions q
                WHERE q.tenant_id = :tenant AND q.quiz_id = (m.content ->> 'quiz_id')::uuid) AS questions,
               (SELECT count(*) FROM questions q
                JOIN question_translations w ON w.tenant_id = :tenant AND w.question_id = q.id
                    AND w.language = :language AND NOT w.is_outdated
                WHERE q.tenant_id = :tenant AND q.quiz_id = (m.content ->> 'quiz_id')::uuid
               ) AS translated_questions
        FROM modules m
        LEFT JOIN module_translations t
            ON t.tenant_id = :tenant AND t.module_id = m.id AND t.language = :language
        WHERE m.tenant_id = :tenant AND m.course_id = :course_id ORDER BY m.position
        """,
        course_id=course_id,
        language=language,
    )


async def load_titles(tx: Tx, course_id: UUID, language: str) -> dict[UUID, str]:
    """Returns the titles of modules in a language, by the modules' ids."""
    rows = await tx.rows(
        f"SELECT module_id, title FROM module_translations WHERE {_OF_COURSE}",  # noqa: S608
        course_id=course_id,
        language=language,
    )
    return {row["module_id"]: row["title"] for row in rows}


async def find_module_title(tx: Tx, module_id: UUID, language: str) -> str | None:
    title: str | None = await tx.value(
        """
        SELECT title FROM module_translations
        WHERE tenant_id = :tenant AND module_id = :module_id AND language = :language
        """,
        module_id=module_id,
        language=language,
    )
    return title


async def list_progress(tx: Tx, course_id: UUID) -> list[LanguageProgress]:
    """Counts the texts of each further language: of the course, its modules, lessons and questions."""
    return await tx.list(
        LanguageProgress,
        """
        SELECT t.language,
               (t.title IS NOT NULL)::int
               + (t.description IS NOT NULL AND c.description IS NOT NULL)::int + done.texts
               + asked.translated AS translated,
               1 + (c.description IS NOT NULL)::int + every.texts + asked.texts AS texts
        FROM course_translations t
        JOIN courses c ON c.tenant_id = :tenant AND c.id = t.course_id
        CROSS JOIN LATERAL (
            SELECT (count(*) + count(*) FILTER (WHERE m.type = 'ARTICLE' AND m.body <> ''))::int AS texts
            FROM modules m WHERE m.tenant_id = :tenant AND m.course_id = t.course_id) AS every
        CROSS JOIN LATERAL (
            SELECT (count(w.module_id) + count(*) FILTER (
                WHERE m.type = 'ARTICLE' AND m.body <> '' AND EXISTS (
                    SELECT FROM lesson_versions v WHERE v.tenant_id = :tenant AND v.module_id = m.id
                    AND v.language = t.language)))::int AS texts
            FROM modules m
            LEFT JOIN module_translations w
                ON w.tenant_id = :tenant AND w.module_id = m.id AND w.language = t.language
            WHERE m.tenant_id = :tenant AND m.course_id = t.course_id) AS done
        CROSS JOIN LATERAL (
            SELECT count(*)::int AS texts, count(w.question_id)::int AS translated
            FROM modules m
            JOIN questions q ON q.tenant_id = :tenant AND q.quiz_id = (m.content ->> 'quiz_id')::uuid
            LEFT JOIN question_translations w ON w.tenant_id = :tenant AND w.question_id = q.id
                AND w.language = t.language AND NOT w.is_outdated
            WHERE m.tenant_id = :tenant AND m.course_id = t.course_id AND m.type = 'QUIZ') AS asked
        WHERE t.tenant_id = :tenant AND t.course_id = :course_id ORDER BY t.language
        """,
        course_id=course_id,
    )


async def copy(tx: Tx, course_id: UUID, into: UUID) -> None:
    """Copies the translations to a copied course, whose modules have the same positions."""
    await tx.execute(
        """
        INSERT INTO course_translations (tenant_id, course_id, language, title, description, created_at,
                                         updated_at)
        SELECT t.tenant_id, CAST(:into AS uuid), t.language, t.title, t.description,
               CAST(:now AS timestamptz), CAST(:now AS timestamptz)
        FROM course_translations AS t WHERE t.tenant_id = :tenant AND t.course_id = :course_id
        RETURNING tenant_id
        """,
        course_id=course_id,
        into=into,
    )
    await tx.execute(
        """
        INSERT INTO module_translations (tenant_id, module_id, language, course_id, title)
        SELECT t.tenant_id, c.id, t.language, c.course_id, t.title
        FROM modules m
        JOIN modules c ON c.tenant_id = m.tenant_id AND c.course_id = :into AND c.position = m.position
        JOIN module_translations t ON t.tenant_id = m.tenant_id AND t.module_id = m.id
        WHERE m.tenant_id = :tenant AND m.course_id = :course_id
        RETURNING tenant_id
        """,
        course_id=course_id,
        into=into,
    )


async def copy_of_module(tx: Tx, module_id: UUID, into: UUID) -> None:
    """Copies the titles of a module to a copy in the same course."""
    await tx.execute(
        """
        INSERT INTO module_translations (tenant_id, module_id, language, course_id, title)
        SELECT t.tenant_id, CAST(:into AS uuid), t.language, t.course_id, t.title
        FROM module_translations AS t WHERE t.tenant_id = :tenant AND t.module_id = :module_id
        RETURNING tenant_id
        """,
        module_id=module_id,
        into=into,
    )
