"""The SQL of learning paths, their courses and their audiences."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg

from trilha.core.database import Tx, columns_of
from trilha.core.errors import Conflict, NotFound
from trilha.training.learning_paths.schema import Audience, LearningPath, NewPath, PathCourse

_COLUMNS = columns_of(LearningPath)
_SELECT = f"SELECT {_COLUMNS} FROM learning_paths WHERE tenant_id = :tenant"  # noqa: S608


async def get(tx: Tx, path_id: UUID) -> LearningPath:
    """Raises NotFound."""
    return _require(await tx.find(LearningPath, f"{_SELECT} AND id = :path_id", path_id=path_id))


async def get_by_slug(tx: Tx, slug: str) -> LearningPath:
    """Raises NotFound."""
    return _require(await tx.find(LearningPath, f"{_SELECT} AND slug = :slug", slug=slug))


async def lock(tx: Tx, path_id: UUID) -> LearningPath:
    """Locks the path and its courses until the transaction ends. Raises NotFound."""
    select = f"{_SELECT} AND id = :path_id FOR NO KEY UPDATE"
    return _require(await tx.find(LearningPath, select, path_id=path_id))


async def lock_statuses(tx: Tx, path_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Returns the statuses of these paths, and locks them in one order."""
    rows = await tx.rows(
        """
        SELECT id, status FROM learning_paths
        WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE
        """,
        ids=path_ids,
    )
    return {row["id"]: row["status"] for row in rows}


def _require(path: LearningPath | None) -> LearningPath:
    if path is None:
        raise NotFound("learning_path_not_found")
    return path


async def list_slugs(tx: Tx, begins: str) -> set[str]:
    sql = "SELECT slug FROM learning_paths WHERE tenant_id = :tenant AND starts_with(slug, :begins)"
    return {row["slug"] for row in await tx.rows(sql, begins=begins)}


async def insert(tx: Tx, new: NewPath, slug: str) -> LearningPath | None:
    """Returns None if the slug is taken."""
    return await tx.find(
        LearningPath,
        f"""
        INSERT INTO learning_paths (tenant_id, title, slug, description, in_order, deadline_days, created_at,
                                    updated_at)
        VALUES (:tenant, :title, :slug, :description, :in_order, :deadline_days, :now, :now)
        ON CONFLICT (tenant_id, slug) DO NOTHING RETURNING {_COLUMNS}
        """,  # noqa: S608
        slug=slug,
        **{name: getattr(new, name) for name in ("title", "description", "in_order", "deadline_days")},
    )


async def update(tx: Tx, path_id: UUID, values: Mapping[str, Any]) -> LearningPath:
    """Raises NotFound, and Conflict (learning_path_slug_exists)."""
    sets = "".join(f"{name} = :{name}, " for name in values)
    try:
        return _require(
            await tx.find(
                LearningPath,
                f"""
                UPDATE learning_paths SET {sets}updated_at = :now
                WHERE tenant_id = :tenant AND id = :path_id RETURNING {_COLUMNS}
                """,  # noqa: S608
                path_id=path_id,
                **values,
            )
        )
    except asyncpg.UniqueViolationError:
        raise Conflict("learning_path_slug_exists") from None


async def publish(tx: Tx, path_id: UUID) -> LearningPath | None:
    """Returns None if the path is already published or has no course."""
    return await tx.find(
        LearningPath,
        f"""
        UPDATE learning_paths SET status = 'PUBLISHED', updated_at = :now
        WHERE tenant_id = :tenant AND id = :path_id AND status IN ('DRAFT', 'ARCHIVED') AND EXISTS (
            SELECT FROM learning_path_courses WHERE tenant_id = :tenant AND path_id = :path_id)
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        path_id=path_id,
    )


async def archive(tx: Tx, path_id: UUID) -> LearningPath | None:
    """Returns None unless the path is published."""
    return await tx.find(
        LearningPath,
        f"""
        UPDATE learning_paths SET status = 'ARCHIVED', updated_at = :now
        WHERE tenant_id = :tenant AND id = :path_id AND status = 'PUBLISHED' RETURNING {_COLUMNS}
        """,  # noqa: S608
        path_id=path_id,
    )


async def list_courses(tx: Tx, path_id: UUID) -> list[PathCourse]:
    """Lists the courses in the path's order."""
    return await tx.list(
        PathCourse,
        """
        SELECT course.id, course.title, course.status, course.duration_hours
        FROM learning_path_courses AS part
        JOIN courses AS course ON course.tenant_id = part.tenant_id AND course.id = part.course_id
        WHERE part.tenant_id = :tenant AND part.path_id = :path_id
        ORDER BY part.position, part.course_id
        """,
        path_id=path_id,
    )


async def set_courses(tx: Tx, path_id: UUID, course_ids: Sequence[UUID]) -> None:
    """Sets the courses and their order. Raises NotFound (course_not_found)."""
    await tx.execute(
        """
        DELETE FROM learning_path_courses
        WHERE tenant_id = :tenant AND path_id = :path_id AND course_id <> ALL(:courses)
        """,
        path_id=path_id,
        courses=course_ids,
    )
    try:
        await tx.execute(
            """
            INSERT INTO learning_path_courses (tenant_id, path_id, course_id, position)
            SELECT :tenant, :path_id, part.course_id, part.position
            FROM unnest(:courses::uuid[]) WITH ORDINALITY AS part (course_id, position)
            ON CONFLICT (tenant_id, path_id, course_id) DO UPDATE SET position = excluded.position
            """,
            path_id=path_id,
            courses=course_ids,
        )
    except asyncpg.ForeignKeyViolationError:
        raise NotFound("course_not_found") from None
    # A course that is no longer part of the path has no problems.
    await tx.execute(
        """
        DELETE FROM learning_path_problems
        WHERE tenant_id = :tenant AND path_id = :path_id AND course_id <> ALL(:courses)
        """,
        path_id=path_id,
        courses=course_ids,
    )


async def list_audiences(tx: Tx, path_id: UUID) -> list[Audience]:
    """Lists the audiences by name."""
    return await tx.list(
        Audience,
        """
        SELECT audience.id, audience.group_id, audience.business_unit_id, COALESCE(
                   (SELECT name FROM learning_groups AS g
                    WHERE g.tenant_id = :tenant AND g.id = audience.group_id),
                   (SELECT name FROM business_units AS unit
                    WHERE unit.tenant_id = :tenant AND unit.id = audience.business_unit_id)) AS name
        FROM learning_path_audiences AS audience
        WHERE audience.tenant_id = :tenant AND audience.path_id = :path_id
        ORDER BY name, audience.id
        """,
        path_id=path_id,
    )


async def add_audience(
    tx: Tx, path_id: UUID, *, group_id: UUID | None = None, unit_id: UUID | None = None
) -> bool:
    """Returns False if the group or unit is an audience already. Raises NotFound if it does not exist."""
    try:
        added = await tx.execute(
            """
            INSERT INTO learning_path_audiences (tenant_id, path_id, group_id, business_unit_id, created_at)
            VALUES (:tenant, :path_id, :group_id, :unit_id, :now) ON CONFLICT DO NOTHING
            """,
            path_id=path_id,
            group_id=group_id,
            unit_id=unit_id,
        )
    except asyncpg.ForeignKeyViolationError:
        raise NotFound("learning_group_not_found" if group_id else "business_unit_not_found") from None
    return added == 1


async def remove_audience(tx: Tx, path_id: UUID, audience_id: UUID) -> bool:
    sql = """
        DELETE FROM learning_path_audiences
        WHERE tenant_id = :tenant AND path_id = :path_id AND id = :audience_id"""
    return bool(await tx.execute(sql, path_id=path_id, audience_id=audience_id))
