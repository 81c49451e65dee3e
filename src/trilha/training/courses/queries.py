"""The SQL of courses."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from trilha.core.database import Tx, columns_of
from trilha.core.errors import Conflict, NotFound
from trilha.core.role_holders import RoleHolders
from trilha.training.courses.schema import (
    AuthoredCourse,
    Course,
    Enrollable,
    NewCourse,
)

TEACHERS = RoleHolders("course_teachers", "course_id", "instrutor", "teacher_not_instrutor")
_CATEGORY = """(
    SELECT name FROM categories
    WHERE categories.tenant_id = :tenant AND categories.id = courses.category_id) AS category"""
_AUTHORED_COLUMNS = columns_of(AuthoredCourse).replace(" category,", f" {_CATEGORY},")
_LANGUAGES = """courses.language || ARRAY(
    SELECT translation.language FROM course_translations AS translation
    WHERE translation.tenant_id = :tenant AND translation.course_id = courses.id
    ORDER BY translation.language) AS languages"""
_COLUMNS = (
    columns_of(Course).replace(" category,", f" {_CATEGORY},").replace(" languages,", f" {_LANGUAGES},")
)
_SELECT = f"SELECT {_COLUMNS} FROM courses WHERE tenant_id = :tenant"  # noqa: S608
SELECT_ENROLLABLE = """
    SELECT id, status, regulation -> 'required_profile_fields' AS required_fields, self_enrollment
    FROM courses WHERE tenant_id = :tenant
"""


async def get(tx: Tx, course_id: UUID) -> Course:
    """Raises NotFound."""
    return _require(await tx.find(Course, f"{_SELECT} AND id = :course_id", course_id=course_id))


async def get_by_slug(tx: Tx, slug: str) -> Course:
    """Raises NotFound."""
    return _require(await tx.find(Course, f"{_SELECT} AND slug = :slug", slug=slug))


def _require(course: Course | None) -> Course:
    if course is None:
        raise NotFound("course_not_found")
    return course


async def list_enrollable(tx: Tx, course_ids: Sequence[UUID]) -> list[Enrollable]:
    return await tx.list(Enrollable, f"{SELECT_ENROLLABLE} AND id = ANY(:ids)", ids=course_ids)


async def ensure_category(tx: Tx, name: str) -> UUID:
    """Returns the id of the category with this name, creating it if needed."""
    category_id: UUID = await tx.value(
        """
        INSERT INTO categories (tenant_id, name) VALUES (:tenant, :name)
        ON CONFLICT (tenant_id, name) DO UPDATE SET name = excluded.name
        RETURNING id
        """,
        name=name,
    )
    return category_id


async def insert(tx: Tx, new: NewCourse, category_id: UUID | None) -> Course | None:
    """Returns None if the slug is taken."""
    course_id = await tx.value(
        """
        INSERT INTO courses (tenant_id, title, description, slug, language, difficulty, duration_hours,
                             category_id, tags, certificate_validity_months, regulation, self_enrollment,
                             created_at, updated_at)
        VALUES (:tenant, :title, :description, :slug,
                COALESCE(:language, (SELECT locale FROM tenants WHERE id = :tenant)), :difficulty,
                :duration_hours, :category_id, :tags, :certificate_validity_months, :regulation,
                :self_enrollment, :now, :now)
        ON CONFLICT (tenant_id, slug) DO NOTHING
        RETURNING id
        """,
        category_id=category_id,
        **{name: getattr(new, name) for name in ("title", "description", "slug", "difficulty")},
        **{name: getattr(new, name) for name in ("duration_hours", "tags", "certificate_validity_months")},
        self_enrollment=new.self_enrollment,
        language=new.language,
        regulation=None if new.regulation is None else msgspec.to_builtins(new.regulation),
    )
    return await get(tx, course_id) if course_id is not None else None


async def lock(tx: Tx, course_id: UUID) -> None:
    """Locks the course and its modules until the transaction ends. Raises NotFound."""
    sql = "SELECT id FROM courses WHERE tenant_id = :tenant AND id = :course_id FOR NO KEY UPDATE"
    if await tx.value(sql, course_id=course_id) is None:
        raise NotFound("course_not_found")


async def lock_statuses_and_tags(tx: Tx, course_ids: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
    """Returns the statuses and tags of these courses, and locks them in one order."""
    rows = await tx.rows(
        """
        SELECT id, status, tags FROM courses
        WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE
        """,
        ids=course_ids,
    )
    return {row["id"]: {"status": row["status"], "tags": list(row["tags"])} for row in rows}


async def note_change(tx: Tx, course_id: UUID) -> None:
    """Notes that the completion criteria have changed, so that enrollments are reassessed."""
    await tx.execute(
        """
        INSERT INTO changed_courses (tenant_id, course_id, changed_at) VALUES (:tenant, :course_id, :now)
        ON CONFLICT (tenant_id, course_id)
        DO UPDATE SET changed_at = excluded.changed_at, after_at = NULL, after_id = NULL
        """,
        course_id=course_id,
    )


async def get_authored(tx: Tx, course_id: UUID) -> AuthoredCourse:
    """Raises NotFound."""
    found = await tx.find(
        AuthoredCourse,
        f"""
        SELECT {_AUTHORED_COLUMNS} FROM courses WHERE tenant_id = :tenant AND id = :course_id
        """,  # noqa: S608
        course_id=course_id,
    )
    if found is None:
        raise NotFound("course_not_found")
    return found


async def list_slugs(tx: Tx, begins: str) -> set[str]:
    sql = "SELECT slug FROM courses WHERE tenant_id = :tenant AND starts_with(slug, :begins)"
    return {row["slug"] for row in await tx.rows(sql, begins=begins)}


async def update(tx: Tx, course_id: UUID, values: Mapping[str, Any]) -> Course:
    """Updates the course; without values it only notes that the modules changed. Raises NotFound, and
    Conflict (course_slug_exists).
    """
    try:
        await tx.execute(
            f"""
            UPDATE courses SET {"".join(f"{name} = :{name}, " for name in values)}updated_at = :now
            WHERE tenant_id = :tenant AND id = :course_id
            """,  # noqa: S608
            course_id=course_id,
            **values,
        )
    except asyncpg.UniqueViolationError:
        raise Conflict("course_slug_exists") from None
    return await get(tx, course_id)


async def archive(tx: Tx, course_id: UUID) -> Course | None:
    """Returns None unless the course is published."""
    archived = await tx.execute(
        """
        UPDATE courses SET status = 'ARCHIVED', updated_at = :now
        WHERE tenant_id = :tenant AND id = :course_id AND status = 'PUBLISHED'
        """,
        course_id=course_id,
    )
    return await get(tx, course_id) if archived else None


async def copy(tx: Tx, course_id: UUID, title: str, slug: str) -> Course:
    """Inserts a draft with the same members and instructors. Raises Conflict (course_slug_exists)."""
    copied = "description, language, difficulty, duration_hours, thumbnail_url, category_id, tags"
    copied += ", certificate_validity_months, regulation, self_enrollment"
    copied_id = await tx.value(
        f"""
        INSERT INTO courses (tenant_id, title, slug, {copied}, created_at, updated_at)
        SELECT tenant_id, :title, :slug, {copied}, :now, :now
        FROM courses WHERE tenant_id = :tenant AND id = :course_id
        ON CONFLICT (tenant_id, slug) DO NOTHING
        RETURNING id
        """,  # noqa: S608
        course_id=course_id,
        title=title,
        slug=slug,
    )
    if copied_id is None:
        raise Conflict("course_slug_exists")
    await tx.execute(
        """
        INSERT INTO course_teachers (tenant_id, course_id, user_id)
        SELECT source.tenant_id, CAST(:into AS uuid), source.user_id FROM course_teachers AS source
        WHERE source.tenant_id = :tenant AND source.course_id = :course_id
        RETURNING tenant_id
        """,
        course_id=course_id,
        into=copied_id,
    )
    return await get(tx, copied_id)


async def publish(tx: Tx, course_id: UUID) -> Course | None:
    """Returns None if the course is already published or has no required module."""
    published = await tx.execute(
        """
        UPDATE courses SET status = 'PUBLISHED', updated_at = :now
        WHERE tenant_id = :tenant AND id = :course_id AND status IN ('DRAFT', 'ARCHIVED')
          AND EXISTS (SELECT FROM modules WHERE tenant_id = :tenant AND course_id = :course_id AND required)
        """,
        course_id=course_id,
    )
    return await get(tx, course_id) if published else None


async def load_titles(tx: Tx, course_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Returns the titles of these courses, by id."""
    rows = await tx.rows(
        "SELECT id, title FROM courses WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=course_ids
    )
    return {row["id"]: row["title"] for row in rows}
