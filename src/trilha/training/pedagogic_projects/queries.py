"""The SQL of pedagogic projects."""

from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.training.pedagogic_projects.schema import NewVersion, Project, ProjectVersion

_VERSIONS = """
    SELECT id, number, file_key, encode(file_sha256, 'hex') AS sha256, file_size, actor, created_at
    FROM pedagogic_project_versions WHERE tenant_id = :tenant AND course_id = :course_id"""


async def find(tx: Tx, course_id: UUID) -> Project:
    """Returns an empty project if nobody has written one."""
    contents: dict[str, Any] | None = await tx.value(
        "SELECT contents FROM pedagogic_projects WHERE tenant_id = :tenant AND course_id = :course_id",
        course_id=course_id,
    )
    return msgspec.convert(contents or {}, Project)


async def save(tx: Tx, course_id: UUID, project: Project) -> None:
    await tx.execute(
        """
        INSERT INTO pedagogic_projects (tenant_id, course_id, contents, updated_at)
        VALUES (:tenant, :course_id, :contents, :now)
        ON CONFLICT (tenant_id, course_id) DO UPDATE
        SET contents = excluded.contents, updated_at = excluded.updated_at
        """,
        course_id=course_id,
        contents=msgspec.to_builtins(project),
    )


async def list_versions(tx: Tx, course_id: UUID, limit: int = 100) -> list[ProjectVersion]:
    """Lists the versions, the newest first."""
    return await tx.list(
        ProjectVersion, f"{_VERSIONS} ORDER BY number DESC LIMIT :limit", course_id=course_id, limit=limit
    )


async def find_version(tx: Tx, course_id: UUID, number: int) -> ProjectVersion | None:
    return await tx.find(
        ProjectVersion, f"{_VERSIONS} AND number = :number", course_id=course_id, number=number
    )


async def insert_version(tx: Tx, course_id: UUID, new: NewVersion) -> int:
    """Returns the number of the version. The course is locked."""
    number: int = await tx.value(
        """
        SELECT COALESCE(max(number), 0) + 1 FROM pedagogic_project_versions
        WHERE tenant_id = :tenant AND course_id = :course_id
        """,
        course_id=course_id,
    )
    await tx.execute(
        """
        INSERT INTO pedagogic_project_versions (tenant_id, id, course_id, number, contents, file_key,
                                                file_sha256, file_size, actor_kind, actor, created_at)
        VALUES (:tenant, :id, :course_id, :number, :contents, :file_key, :file_sha256, :file_size,
                :actor_kind, :actor, :now)
        """,
        id=new.id,
        course_id=course_id,
        number=number,
        contents=msgspec.to_builtins(new.contents),
        file_key=new.file_key,
        file_sha256=new.file_sha256,
        file_size=new.file_size,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
    )
    return number


async def set_version_of_classes(tx: Tx, course_id: UUID, number: int) -> None:
    """Lets the classes that have not started yet stand under this version."""
    await tx.execute(
        """
        UPDATE classes c SET project_version = :number
        WHERE c.tenant_id = :tenant AND c.course_id = :course_id AND c.cancelled_at IS NULL
          AND NOT EXISTS (SELECT FROM class_sessions s
                          WHERE s.tenant_id = :tenant AND s.class_id = c.id AND s.cancelled_at IS NULL
                            AND s.starts_at <= :now)
        """,
        course_id=course_id,
        number=number,
    )
