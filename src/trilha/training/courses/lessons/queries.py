"""The SQL of lessons."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.training.courses.lessons.schema import (
    Document,
    LessonDraft,
    LessonHead,
    LessonText,
    LessonVersion,
    OtherDraft,
    SavedDraft,
)

MAX_VERSIONS = 100

_OF_LESSON = "tenant_id = :tenant AND module_id = :module_id AND language = :language"


async def find_head(tx: Tx, module_id: UUID, language: str = "") -> LessonHead | None:
    """Returns the newest version, or None while the module's `body` is all there is."""
    return await tx.find(
        LessonHead,
        f"""
        SELECT number, document IS NOT NULL AS is_document FROM lesson_versions
        WHERE {_OF_LESSON} ORDER BY number DESC LIMIT 1
        """,  # noqa: S608
        module_id=module_id,
        language=language,
    )


async def find_text(tx: Tx, module_id: UUID, language: str = "") -> LessonText | None:
    """Returns the text of the newest version."""
    return await tx.find(
        LessonText,
        f"SELECT {columns_of(LessonText)} FROM lesson_versions WHERE {_OF_LESSON} "  # noqa: S608
        "ORDER BY number DESC LIMIT 1",
        module_id=module_id,
        language=language,
    )


async def get_text(tx: Tx, module_id: UUID, number: int, language: str = "") -> LessonText:
    """Returns the text of one version. Raises NotFound."""
    text = await tx.find(
        LessonText,
        f"SELECT {columns_of(LessonText)} FROM lesson_versions WHERE {_OF_LESSON} AND number = :number",  # noqa: S608
        module_id=module_id,
        language=language,
        number=number,
    )
    if text is None:
        raise NotFound("lesson_version_not_found")
    return text


async def list_versions(tx: Tx, module_id: UUID, language: str = "") -> list[LessonVersion]:
    """Lists the versions, newest first."""
    return await tx.list(
        LessonVersion,
        """
        SELECT v.number, v.author_id, u.name AS author_name, v.restored, v.created_at
        FROM lesson_versions v
        LEFT JOIN users u ON u.tenant_id = v.tenant_id AND u.id = v.author_id
        WHERE v.tenant_id = :tenant AND v.module_id = :module_id AND v.language = :language
        ORDER BY v.number DESC LIMIT :limit
        """,
        module_id=module_id,
        language=language,
        limit=MAX_VERSIONS + 1,
    )


async def list_languages(tx: Tx, module_id: UUID) -> list[str]:
    """Lists the languages, other than the course's own, that have a version."""
    rows = await tx.rows(
        """
        SELECT DISTINCT language FROM lesson_versions
        WHERE tenant_id = :tenant AND module_id = :module_id AND language <> '' ORDER BY language
        """,
        module_id=module_id,
    )
    return [row["language"] for row in rows]


async def list_file_ids(tx: Tx, module_id: UUID) -> set[UUID]:
    """Returns the media files that the newest version in each language shows."""
    rows = await tx.rows(
        """
        SELECT DISTINCT unnest(v.files) AS id FROM lesson_versions v
        WHERE v.tenant_id = :tenant AND v.module_id = :module_id AND v.number = (
            SELECT max(n.number) FROM lesson_versions n
            WHERE n.tenant_id = :tenant AND n.module_id = :module_id AND n.language = v.language)
        """,
        module_id=module_id,
    )
    return {row["id"] for row in rows}


async def insert_version(
    tx: Tx,
    module_id: UUID,
    number: int,
    *,
    body: str,
    document: Document | None = None,
    files: Sequence[UUID] = (),
    author_id: UUID | None = None,
    restored: int | None = None,
    language: str = "",
) -> None:
    await tx.execute(
        """
        INSERT INTO lesson_versions (tenant_id, module_id, language, number, document, body, files, author_id,
                                     restored, created_at)
        VALUES (:tenant, :module_id, :language, :number, :document, :body, :files, :author_id, :restored,
                :now)
        """,
        module_id=module_id,
        language=language,
        number=number,
        document=document,
        body=body,
        files=list(files),
        author_id=author_id,
        restored=restored,
    )


async def keep_original(tx: Tx, module_id: UUID) -> None:
    """Stores the module's `body` as version 0, unless there is a version already or there is no text."""
    await tx.execute(
        """
        INSERT INTO lesson_versions (tenant_id, module_id, number, body, created_at)
        SELECT m.tenant_id, m.id, 0, m.body, m.updated_at FROM all_modules m
        WHERE m.tenant_id = :tenant AND m.id = :module_id AND m.body <> ''
              AND NOT EXISTS (
                  SELECT FROM lesson_versions v
                  WHERE v.tenant_id = :tenant AND v.module_id = :module_id AND v.language = '')
        ON CONFLICT DO NOTHING
        RETURNING module_id
        """,
        module_id=module_id,
    )


async def prune_versions(tx: Tx, module_id: UUID, newest: int, language: str = "") -> None:
    """Deletes the versions that are older than the newest `MAX_VERSIONS`."""
    await tx.execute(
        f"DELETE FROM lesson_versions WHERE {_OF_LESSON} AND number <= :last",  # noqa: S608
        module_id=module_id,
        language=language,
        last=newest - MAX_VERSIONS,
    )


async def copy_versions(tx: Tx, course_id: UUID, into: UUID) -> None:
    """Copies the newest version of each lesson and language to the modules of a copied course, as version
    1.
    """
    await tx.execute(
        """
        INSERT INTO lesson_versions (tenant_id, module_id, language, number, document, body, files,
                                     created_at)
        SELECT v.tenant_id, c.id, v.language, 1, v.document, v.body, v.files, CAST(:now AS timestamptz)
        FROM modules m
        JOIN modules c ON c.tenant_id = m.tenant_id AND c.course_id = :into AND c.position = m.position
        JOIN lesson_versions v ON v.tenant_id = m.tenant_id AND v.module_id = m.id
        WHERE m.tenant_id = :tenant AND m.course_id = :course_id AND m.type = 'ARTICLE' AND v.number = (
            SELECT max(n.number) FROM lesson_versions n
            WHERE n.tenant_id = v.tenant_id AND n.module_id = v.module_id AND n.language = v.language)
        RETURNING tenant_id
        """,
        course_id=course_id,
        into=into,
    )


async def copy_versions_of_module(tx: Tx, module_id: UUID, into: UUID) -> None:
    """Copies the newest version in each language to a copy of the module, as version 1."""
    await tx.execute(
        """
        INSERT INTO lesson_versions (tenant_id, module_id, language, number, document, body, files, author_id,
                                     created_at)
        SELECT DISTINCT ON (v.language) v.tenant_id, CAST(:into AS uuid), v.language, 1, v.document, v.body,
               v.files, v.author_id, CAST(:now AS timestamptz)
        FROM lesson_versions AS v WHERE v.tenant_id = :tenant AND v.module_id = :module_id
        ORDER BY v.language, v.number DESC
        RETURNING tenant_id
        """,
        module_id=module_id,
        into=into,
    )


async def find_draft(tx: Tx, module_id: UUID, author_id: UUID, language: str = "") -> LessonDraft | None:
    return await tx.find(
        LessonDraft,
        f"""
        SELECT {columns_of(LessonDraft)} FROM lesson_drafts
        WHERE {_OF_LESSON} AND author_id = :author_id
        """,  # noqa: S608
        module_id=module_id,
        author_id=author_id,
        language=language,
    )


async def list_other_drafts(
    tx: Tx, module_id: UUID, author_id: UUID, within: timedelta, language: str = ""
) -> list[OtherDraft]:
    """Lists the drafts that others have saved lately, newest first."""
    return await tx.list(
        OtherDraft,
        """
        SELECT d.author_id, u.name AS author_name, d.base, d.saved_at
        FROM lesson_drafts d
        JOIN users u ON u.tenant_id = d.tenant_id AND u.id = d.author_id
        WHERE d.tenant_id = :tenant AND d.module_id = :module_id AND d.language = :language
              AND d.author_id <> :author_id
              AND d.saved_at > CAST(:now AS timestamptz) - CAST(:within AS interval)
        ORDER BY d.saved_at DESC LIMIT 5
        """,
        module_id=module_id,
        author_id=author_id,
        language=language,
        within=within,
    )


async def put_draft(
    tx: Tx,
    module_id: UUID,
    author_id: UUID,
    document: Document,
    *,
    base: int,
    revision: int,
    language: str = "",
) -> SavedDraft | None:
    """Saves the author's draft if it is still at this revision (0: there is none). Returns None if another
    tab has saved it meanwhile.
    """
    return await tx.find(
        SavedDraft,
        """
        INSERT INTO lesson_drafts (tenant_id, module_id, language, author_id, base, revision, document,
                                   saved_at)
        VALUES (:tenant, :module_id, :language, :author_id, :base, :revision + 1, :document, :now)
        ON CONFLICT (tenant_id, module_id, language, author_id) DO UPDATE
        SET base = excluded.base, revision = excluded.revision, document = excluded.document,
            saved_at = excluded.saved_at
        WHERE lesson_drafts.revision = excluded.revision - 1
        RETURNING revision, saved_at
        """,
        module_id=module_id,
        author_id=author_id,
        language=language,
        base=base,
        revision=revision,
        document=document,
    )


async def delete_draft(tx: Tx, module_id: UUID, author_id: UUID, language: str = "") -> None:
    await tx.execute(
        f"DELETE FROM lesson_drafts WHERE {_OF_LESSON} AND author_id = :author_id",  # noqa: S608
        module_id=module_id,
        author_id=author_id,
        language=language,
    )


async def find_html(tx: Tx, module_id: UUID, digest: bytes, language: str = "") -> str | None:
    """Returns None unless the HTML was made from this text by this version of the renderer."""
    html: str | None = await tx.value(
        f"SELECT html FROM rendered_lessons WHERE {_OF_LESSON} AND digest = :digest",  # noqa: S608
        module_id=module_id,
        language=language,
        digest=digest,
    )
    return html


async def put_html(tx: Tx, module_id: UUID, digest: bytes, html: str, language: str = "") -> None:
    """Replaces the stored HTML. Does nothing if the module was removed."""
    await tx.execute(
        """
        INSERT INTO rendered_lessons (tenant_id, module_id, language, digest, html)
        SELECT :tenant, id, CAST(:language AS text), :digest, :html FROM all_modules
        WHERE tenant_id = :tenant AND id = :module_id
        ON CONFLICT (tenant_id, module_id, language)
        DO UPDATE SET digest = excluded.digest, html = excluded.html
        RETURNING module_id
        """,
        module_id=module_id,
        language=language,
        digest=digest,
        html=html,
    )


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes a person's drafts. Versions stay, under the name of an erased person."""
    await tx.execute(
        "DELETE FROM lesson_drafts WHERE tenant_id = :tenant AND author_id = :user_id", user_id=user_id
    )
