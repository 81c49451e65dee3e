"""The SQL of modules and of the files that they show.

`modules` is a view of the courses' current modules. Writes go to `all_modules`, which also holds removed
ones.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.training.courses.lists import MODULES
from trilha.training.courses.minutes import Measures
from trilha.training.courses.schema import (
    DEFAULT_PRESENCE,
    AuthoredModule,
    MediaFile,
    Module,
    NewModule,
    OutlinedModule,
)

_OF_COURSE = "FROM modules AS row WHERE row.tenant_id = :tenant AND row.course_id = :course_id"
_OUTLINED_COLUMNS = MODULES.with_kind(OutlinedModule, "courses/outline").select_columns
_AUTHORED_COLUMNS = MODULES.with_kind(AuthoredModule, "courses/authored").select_columns
# Positions are unique at every moment: they are put out of the way before they are given anew.
_ASIDE = 1_000_000_000


async def list_all(tx: Tx, course_id: UUID) -> list[OutlinedModule]:
    """Lists modules in course order, without the texts of articles, which may be hundreds of megabytes
    together.
    """
    sql = f"SELECT {_OUTLINED_COLUMNS} {_OF_COURSE} ORDER BY row.position"
    return await tx.list(OutlinedModule, sql, course_id=course_id)


async def count(tx: Tx, course_id: UUID) -> int:
    sql = f"SELECT count(*) {_OF_COURSE}"
    found: int = await tx.value(sql, course_id=course_id)
    return found


async def get(tx: Tx, course_id: UUID, module_id: UUID) -> AuthoredModule:
    """Raises NotFound."""
    sql = f"SELECT {_AUTHORED_COLUMNS} {_OF_COURSE} AND row.id = :module_id"
    found = await tx.find(AuthoredModule, sql, course_id=course_id, module_id=module_id)
    if found is None:
        raise NotFound("module_not_found")
    return found


async def get_public(tx: Tx, module_id: UUID) -> Module:
    """Returns a module as /v1 shows it. Raises NotFound."""
    sql = f"""
        SELECT {MODULES.select_columns} FROM modules AS row
        WHERE row.tenant_id = :tenant AND row.id = :module_id
    """  # noqa: S608
    found = await tx.find(Module, sql, module_id=module_id)
    if found is None:
        raise NotFound("module_not_found")
    return found


async def load_titles(tx: Tx, module_ids: Collection[UUID]) -> dict[UUID, str]:
    """Returns the titles of modules by their ids, of removed ones too."""
    rows = await tx.rows(
        "SELECT id, title FROM all_modules WHERE tenant_id = :tenant AND id = ANY(:module_ids::uuid[])",
        module_ids=list(module_ids),
    )
    return {row["id"]: row["title"] for row in rows}


async def insert(tx: Tx, course_id: UUID, modules: Sequence[NewModule]) -> list[UUID]:
    """Appends modules; returns their ids in the order of `modules`."""
    rows = await tx.rows(
        """
        INSERT INTO all_modules (tenant_id, course_id, position, title, type, duration_minutes,
                                 minutes_estimated, required, body, content, presence_percent, workload_kind,
                                 delivery, created_at, updated_at)
        SELECT :tenant, :course_id, new.ordinality + (
                   SELECT COALESCE(max(position), 0) FROM modules
                   WHERE tenant_id = :tenant AND course_id = :course_id),
               new.title, new.type, COALESCE(new.minutes, 0),
               new.minutes IS NULL AND new.type NOT IN ('SCORM', 'CMI5', 'CLASS', 'PRACTICE'),
               new.required, new.body, new.content, new.presence, new.workload_kind, new.delivery, :now, :now
        FROM unnest(:titles::text[], :types::text[], :minutes::int[], :required::bool[], :bodies::text[],
                    :contents::jsonb[], :presences::int[], :kinds::text[], :deliveries::text[])
             WITH ORDINALITY AS new (title, type, minutes, required, body, content, presence, workload_kind,
                                     delivery, ordinality)
        RETURNING id, position
        """,
        course_id=course_id,
        titles=[module.title for module in modules],
        types=[module.type for module in modules],
        minutes=[module.duration_minutes for module in modules],
        required=[module.required for module in modules],
        bodies=[module.body for module in modules],
        contents=[module.content for module in modules],
        presences=[
            module.presence_percent or DEFAULT_PRESENCE if module.type == "CLASS" else None
            for module in modules
        ],
        kinds=[module.workload_kind for module in modules],
        deliveries=[module.delivery for module in modules],
    )
    return [row["id"] for row in sorted(rows, key=lambda row: int(row["position"]))]


async def update(tx: Tx, module_id: UUID, values: Mapping[str, Any]) -> None:
    await tx.execute(
        f"""
        UPDATE all_modules SET {", ".join(f"{name} = :{name}" for name in values)}, updated_at = :now
        WHERE tenant_id = :tenant AND id = :module_id
        """,  # noqa: S608
        module_id=module_id,
        **values,
    )


async def load_measures(tx: Tx, course_id: UUID) -> dict[UUID, Measures]:
    """Returns the size of the content of each module whose minutes are estimated."""
    rows = await tx.rows(
        """
        SELECT m.id, COALESCE(regexp_count(m.body, '\\S+'), 0) AS words, COALESCE(f.seconds, 0) AS seconds,
               COALESCE(f.pages, 0) AS pages,
               (SELECT count(*) FROM questions AS q
                WHERE q.tenant_id = :tenant AND q.quiz_id = (m.content ->> 'quiz_id')::uuid) AS questions
        FROM modules AS m
        LEFT JOIN media_files AS f ON f.tenant_id = :tenant AND f.id = (m.content ->> 'file_id')::uuid
        WHERE m.tenant_id = :tenant AND m.course_id = :course_id AND m.minutes_estimated
        """,
        course_id=course_id,
    )
    return {row["id"]: msgspec.convert({**row}, Measures) for row in rows}


async def set_minutes(tx: Tx, minutes: Mapping[UUID, int]) -> None:
    """Sets the minutes of several modules, by their ids."""
    await tx.execute(
        """
        UPDATE all_modules AS m SET duration_minutes = changed.minutes, updated_at = :now
        FROM unnest(:ids::uuid[], :minutes::int[]) AS changed (id, minutes)
        WHERE m.tenant_id = :tenant AND m.id = changed.id
        """,
        ids=list(minutes),
        minutes=list(minutes.values()),
    )


async def update_contents(tx: Tx, contents: Mapping[UUID, Any]) -> None:
    """Sets the contents of several modules, by their ids."""
    await tx.execute(
        """
        UPDATE all_modules AS m SET content = changed.content, updated_at = :now
        FROM unnest(:ids::uuid[], :contents::jsonb[]) AS changed (id, content)
        WHERE m.tenant_id = :tenant AND m.id = changed.id
        """,
        ids=list(contents),
        contents=list(contents.values()),
    )


async def remove(tx: Tx, module_ids: Sequence[UUID]) -> None:
    """Removes a module from its course; its row stays, because learning records refer to it."""
    await tx.execute(
        """
        UPDATE all_modules SET removed_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = ANY(:module_ids) AND removed_at IS NULL
        """,
        module_ids=module_ids,
    )


async def set_order(tx: Tx, course_id: UUID, module_ids: Sequence[UUID]) -> None:
    """Sets the order of all modules of the course, from position 1."""
    await tx.execute(
        """
        UPDATE all_modules SET position = position + :aside
        WHERE tenant_id = :tenant AND course_id = :course_id AND removed_at IS NULL
        """,
        course_id=course_id,
        aside=_ASIDE,
    )
    await tx.execute(
        """
        UPDATE all_modules AS m SET position = wanted.position,
               updated_at = CASE WHEN m.position - :aside = wanted.position THEN m.updated_at ELSE :now END
        FROM unnest(:ids::uuid[]) WITH ORDINALITY AS wanted (id, position)
        WHERE m.tenant_id = :tenant AND m.course_id = :course_id AND m.id = wanted.id
        """,
        course_id=course_id,
        ids=module_ids,
        aside=_ASIDE,
    )


async def copy(tx: Tx, course_id: UUID, into: UUID) -> None:
    """Copies the modules into a course that has none; `quiz_actions` then copies the quizzes."""
    await tx.execute(
        """
        INSERT INTO all_modules (tenant_id, course_id, position, title, type, duration_minutes,
                                 minutes_estimated, required, body, content, presence_percent, workload_kind,
                                 delivery, created_at, updated_at)
        SELECT tenant_id, CAST(:into AS uuid), position, title, type, duration_minutes, minutes_estimated,
               required, body, content, presence_percent, workload_kind, delivery,
               CAST(:now AS timestamptz), CAST(:now AS timestamptz)
        FROM modules WHERE tenant_id = :tenant AND course_id = :course_id
        RETURNING tenant_id
        """,
        course_id=course_id,
        into=into,
    )


async def insert_media(
    tx: Tx,
    *,
    sha256: str,
    media_type: str,
    size: int,
    name: str,
    seconds: float | None = None,
    pages: int | None = None,
) -> MediaFile:
    """Inserts a file. If the same bytes were uploaded before, returns that file with its first name."""
    found = await tx.find(
        MediaFile,
        f"""
        INSERT INTO media_files (tenant_id, sha256, media_type, size, name, seconds, pages, created_at)
        VALUES (:tenant, :sha256, :media_type, :size, :name, :seconds, :pages, :now)
        ON CONFLICT (tenant_id, sha256) DO UPDATE
        SET seconds = COALESCE(media_files.seconds, excluded.seconds),
            pages = COALESCE(media_files.pages, excluded.pages)
        RETURNING {columns_of(MediaFile)}
        """,  # noqa: S608
        sha256=sha256,
        media_type=media_type,
        size=size,
        name=name,
        seconds=seconds,
        pages=pages,
    )
    assert found is not None
    return found


async def get_media(tx: Tx, file_id: UUID) -> MediaFile:
    """Raises NotFound."""
    found = await tx.find(
        MediaFile,
        f"SELECT {columns_of(MediaFile)} FROM media_files WHERE tenant_id = :tenant AND id = :file_id",  # noqa: S608
        file_id=file_id,
    )
    if found is None:
        raise NotFound("media_file_not_found")
    return found


async def list_media(tx: Tx, file_ids: Sequence[UUID]) -> list[MediaFile]:
    sql = f"SELECT {columns_of(MediaFile)} FROM media_files WHERE tenant_id = :tenant AND id = ANY(:ids)"  # noqa: S608
    return await tx.list(MediaFile, sql, ids=list(file_ids)) if file_ids else []


async def is_media_stored(tx: Tx, sha256: str) -> bool:
    sql = "SELECT EXISTS (SELECT FROM media_files WHERE tenant_id = :tenant AND sha256 = :sha256)"
    return bool(await tx.value(sql, sha256=sha256))
