"""The course picker of the panel: all courses, or those that an instructor teaches."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.courses.lists import TAUGHT
from trilha.training.courses.schema import CourseName


async def is_taught_by(tx: Tx, course_id: UUID, user_id: UUID) -> bool:
    sql = f"SELECT EXISTS ({TAUGHT} AND course_id = :course_id)"
    return bool(await tx.value(sql, course_id=course_id, taught_by=user_id))


_SHOWING = """id IN (
    SELECT course_id FROM modules
    WHERE tenant_id = :tenant AND type = 'SCORM' AND content ->> 'package_id' = :package_id)"""


async def list_showing(tx: Tx, package_id: UUID, taught_by: UUID | None = None) -> list[CourseName]:
    """Lists the courses that use a part of this package, by title."""
    also = f" AND id IN ({TAUGHT})" if taught_by else ""
    return await tx.list(
        CourseName,
        f"""
        SELECT id, title FROM courses WHERE tenant_id = :tenant AND {_SHOWING}{also}
        ORDER BY title_key, id LIMIT 100
        """,  # noqa: S608
        package_id=str(package_id),
        **({"taught_by": taught_by} if taught_by else {}),
    )


async def is_in_courses_of(tx: Tx, package_id: UUID, user_id: UUID) -> bool:
    return bool(await list_showing(tx, package_id, user_id))
