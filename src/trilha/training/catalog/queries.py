"""The SQL of the catalog."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.lists import get_row
from trilha.training.catalog.lists import IN_CATALOG, LEARNER_COURSES
from trilha.training.catalog.schema import CatalogCourse, CategoryName, Reader

_MAX_CATEGORIES = 200


async def get(tx: Tx, course_id: UUID, reader: Reader) -> CatalogCourse:
    """Returns a course of the catalog, or one for which the reader has asked. Raises NotFound."""
    return await get_row(tx, LEARNER_COURSES, course_id, reader, missing="course_not_found")


async def list_categories(tx: Tx) -> Sequence[CategoryName]:
    """Lists the categories that have courses in the catalog, by name."""
    return await tx.list(
        CategoryName,
        f"""
        SELECT category.id, category.name FROM categories AS category
        WHERE category.tenant_id = :tenant AND EXISTS (
            SELECT FROM courses AS course
            WHERE course.tenant_id = :tenant AND course.category_id = category.id
              AND {IN_CATALOG.format("course.")})
        ORDER BY category.name LIMIT :limit
        """,  # noqa: S608
        limit=_MAX_CATEGORIES,
    )


async def has_courses(tx: Tx) -> bool:
    """Returns whether the catalog has any course."""
    return bool(
        await tx.value(
            f"SELECT EXISTS (SELECT FROM courses WHERE tenant_id = :tenant AND {IN_CATALOG.format('')})"  # noqa: S608
        )
    )
