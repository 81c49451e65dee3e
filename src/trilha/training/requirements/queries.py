"""The SQL of requirements and of what they rest on."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg
from msgspec import Struct, structs

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.training.requirements.schema import NewRequirement, Requirement

_COLUMNS = columns_of(Requirement)
_SELECT = f"SELECT {_COLUMNS} FROM requirements WHERE tenant_id = :tenant AND deleted_at IS NULL"  # noqa: S608


async def get(tx: Tx, requirement_id: UUID) -> Requirement:
    """Raises NotFound."""
    return _require(await tx.find(Requirement, f"{_SELECT} AND id = :id", id=requirement_id))


async def get_for_update(tx: Tx, requirement_id: UUID) -> Requirement:
    """Locks the requirement until the transaction ends. Raises NotFound."""
    return _require(await tx.find(Requirement, f"{_SELECT} AND id = :id FOR UPDATE", id=requirement_id))


def _require(requirement: Requirement | None) -> Requirement:
    if requirement is None:
        raise NotFound("requirement_not_found")
    return requirement


async def list_all(tx: Tx) -> list[Requirement]:
    """Lists every requirement, also inactive ones, oldest first."""
    return await tx.list(Requirement, f"{_SELECT} ORDER BY created_at, id")


class StoredRequirement(Requirement, frozen=True):
    deleted_at: Timestamp | None


async def list_with_deleted(tx: Tx) -> list[StoredRequirement]:
    """Lists every requirement, also deleted ones that may still have people."""
    return await tx.list(
        StoredRequirement,
        f"""
        SELECT {columns_of(StoredRequirement)} FROM requirements AS r
        WHERE tenant_id = :tenant AND (deleted_at IS NULL OR EXISTS (
            SELECT FROM requirement_people AS p WHERE p.tenant_id = :tenant AND p.requirement_id = r.id))
        ORDER BY created_at, id
        """,  # noqa: S608
    )


async def insert(tx: Tx, new: NewRequirement) -> Requirement:
    """Raises NotFound (course_not_found, learning_path_not_found)."""
    values = structs.asdict(new)
    try:
        inserted = await tx.find(
            Requirement,
            f"""
            INSERT INTO requirements (tenant_id, {", ".join(values)}, created_at, updated_at)
            VALUES (:tenant, {", ".join(f":{name}" for name in values)}, :now, :now) RETURNING {_COLUMNS}
            """,  # noqa: S608
            **values,
        )
    except asyncpg.ForeignKeyViolationError:
        raise NotFound("course_not_found" if new.course_id else "learning_path_not_found") from None
    return _require(inserted)


async def update(tx: Tx, requirement_id: UUID, values: Mapping[str, Any]) -> Requirement:
    """Raises NotFound (requirement_not_found, course_not_found, learning_path_not_found)."""
    try:
        updated = await tx.find(
            Requirement,
            f"""
            UPDATE requirements SET {"".join(f"{name} = :{name}, " for name in values)}updated_at = :now
            WHERE tenant_id = :tenant AND id = :requirement_id RETURNING {_COLUMNS}
            """,  # noqa: S608
            requirement_id=requirement_id,
            **values,
        )
    except asyncpg.ForeignKeyViolationError:
        raise NotFound("course_not_found" if values.get("course_id") else "learning_path_not_found") from None
    return _require(updated)


async def mark_deleted(tx: Tx, requirement_id: UUID) -> None:
    await tx.execute(
        "UPDATE requirements SET deleted_at = :now WHERE tenant_id = :tenant AND id = :id", id=requirement_id
    )


async def start_engine(tx: Tx) -> None:
    """Makes the worker look after this tenant's requirements, and puts everybody in line."""
    await tx.execute(
        """
        INSERT INTO requirement_engines (tenant_id, swept_at) VALUES (:tenant, :now)
        ON CONFLICT (tenant_id) DO NOTHING
        """
    )
    await tx.execute("INSERT INTO requirement_sweeps (tenant_id, created_at) VALUES (:tenant, :now)")


async def put_in_line(tx: Tx, user_ids: Sequence[UUID]) -> None:
    """Puts these people in line for the worker."""
    await tx.execute(
        """
        INSERT INTO requirement_checks (tenant_id, user_id, created_at)
        SELECT :tenant, person, :now FROM unnest(:user_ids::uuid[]) AS person RETURNING tenant_id
        """,
        user_ids=user_ids,
    )


async def list_units(tx: Tx) -> dict[UUID, UUID | None]:
    """Returns the parent of every business unit."""
    rows = await tx.rows("SELECT id, parent_id FROM business_units WHERE tenant_id = :tenant")
    return {row["id"]: row["parent_id"] for row in rows}


async def list_known_groups(tx: Tx, group_ids: Sequence[UUID]) -> set[UUID]:
    """Returns those of these ids that are learning groups."""
    sql = "SELECT id FROM learning_groups WHERE tenant_id = :tenant AND id = ANY(:ids)"
    return {row["id"] for row in await tx.rows(sql, ids=group_ids)}


async def list_known_units(tx: Tx, unit_ids: Sequence[UUID]) -> set[UUID]:
    """Returns those of these ids that are business units."""
    sql = "SELECT id FROM business_units WHERE tenant_id = :tenant AND id = ANY(:ids)"
    return {row["id"] for row in await tx.rows(sql, ids=unit_ids)}


class RequiredPath(Struct, frozen=True):
    """A learning path with its courses, and whether one opens after the other."""

    id: UUID
    course_ids: list[UUID]
    in_order: bool
    is_published: bool


async def list_paths(tx: Tx, path_ids: Sequence[UUID]) -> dict[UUID, RequiredPath]:
    """Returns these paths by id."""
    paths = await tx.list(
        RequiredPath,
        """
        SELECT path.id, path.in_order, path.status = 'PUBLISHED' AS is_published,
               ARRAY(SELECT part.course_id FROM learning_path_courses AS part
                     WHERE part.tenant_id = :tenant AND part.path_id = path.id
                     ORDER BY part.position, part.course_id) AS course_ids
        FROM learning_paths AS path WHERE path.tenant_id = :tenant AND path.id = ANY(:path_ids)
        """,
        path_ids=path_ids,
    )
    return {path.id: path for path in paths}


async def list_names(tx: Tx, ids: Sequence[UUID]) -> dict[str, str]:
    """Returns the names of business units and learning groups, by id."""
    rows = await tx.rows(
        """
        SELECT id::text AS id, name FROM business_units WHERE tenant_id = :tenant AND id = ANY(:ids)
        UNION ALL
        SELECT id::text AS id, name FROM learning_groups WHERE tenant_id = :tenant AND id = ANY(:ids)
        """,
        ids=ids,
    )
    return {row["id"]: row["name"] for row in rows}


async def list_targets(tx: Tx, requirement_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Returns the title of the course or path that each requirement asks for."""
    rows = await tx.rows(
        """
        SELECT r.id, COALESCE(course.title, path.title) AS title FROM requirements AS r
        LEFT JOIN courses AS course ON course.tenant_id = :tenant AND course.id = r.course_id
        LEFT JOIN learning_paths AS path ON path.tenant_id = :tenant AND path.id = r.learning_path_id
        WHERE r.tenant_id = :tenant AND r.id = ANY(:ids)
        """,
        ids=requirement_ids,
    )
    return {row["id"]: row["title"] for row in rows}


async def list_course_months(tx: Tx, course_ids: Sequence[UUID]) -> dict[UUID, int | None]:
    """Returns how many months the certificates of each course are valid."""
    rows = await tx.rows(
        "SELECT id, certificate_validity_months AS months FROM courses "
        "WHERE tenant_id = :tenant AND id = ANY(:ids)",
        ids=course_ids,
    )
    return {row["id"]: row["months"] for row in rows}


async def list_titles_with_field(tx: Tx, field: str) -> list[str]:
    """Returns the titles of the requirements that have a condition on this field."""
    rows = await tx.rows(
        """
        SELECT title FROM requirements
        WHERE tenant_id = :tenant AND deleted_at IS NULL
          AND jsonb_path_exists(rule, '$.**.field ? (@ == $name)',
                                jsonb_build_object('name', CAST(:field AS text)))
        ORDER BY title, id
        """,
        field=field,
    )
    return [row["title"] for row in rows]
