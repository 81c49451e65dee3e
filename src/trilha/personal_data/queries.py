"""The SQL of the export, where no feature has it already."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, structs_of
from trilha.personal_data.schema import ModuleTranscript


class CourseTitle(Struct, frozen=True):
    id: UUID
    title: str


async def titles(tx: Tx, course_ids: Sequence[UUID]) -> dict[UUID, str]:
    found = await tx.list(
        CourseTitle,
        "SELECT id, title FROM courses WHERE tenant_id = :tenant AND id = ANY(:ids)",
        ids=course_ids,
    )
    return {each.id: each.title for each in found}


async def modules(tx: Tx, course_ids: Sequence[UUID]) -> dict[UUID, list[ModuleTranscript]]:
    """By course, in consumption order."""
    rows = await tx.rows(
        """
        SELECT course_id, id AS module_id, position, title, type, duration_minutes, required,
               ARRAY[]::text[] AS attempts, ARRAY[]::text[] AS answers
        FROM modules WHERE tenant_id = :tenant AND course_id = ANY(:ids) ORDER BY course_id, position
        """,
        ids=course_ids,
    )
    by_course: dict[UUID, list[ModuleTranscript]] = {}
    for row, module in zip(rows, structs_of(ModuleTranscript, rows), strict=True):
        by_course.setdefault(row["course_id"], []).append(module)
    return by_course
