"""The lists of courses, modules and categories."""

from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.lists import CHANGED_SINCE, Condition, Conditions, List, Walk, by_owner, equal
from trilha.training.courses.schema import (
    Course,
    CourseName,
    ListedCategory,
    ListedCourse,
    Module,
)
from trilha.training.courses.workloads import WORKLOAD_COLUMNS

TAUGHT = "SELECT course_id FROM course_teachers WHERE tenant_id = :tenant AND user_id = :taught_by"
# Subselects, so that the search text is normalized once and not for every course.
WITH_TEXT = """(strpos(row.title_key, (SELECT search_text(trim(:q)))) > 0
    OR strpos(row.slug, (SELECT lower(trim(:q)))) > 0)"""
# The name of a course's category.
CATEGORY = "(SELECT name FROM categories WHERE tenant_id = :tenant AND id = row.category_id)"
# The languages of a course, its own first.
LANGUAGES = """row.language || ARRAY(
    SELECT translation.language FROM course_translations AS translation
    WHERE translation.tenant_id = :tenant AND translation.course_id = row.id ORDER BY translation.language)"""
_COUNT = """(
    SELECT COALESCE(sum(counter.{}), 0)::bigint FROM course_counters AS counter
    WHERE counter.tenant_id = :tenant AND counter.course_id = row.id)"""


async def match_tags(tx: Tx, query: Any, reach: Any) -> Conditions:
    """Selects courses with any of the query's tags."""
    return (Condition(where="row.tags && :tags", params={"tags": query.tags.items() if query.tags else []}),)


def _within(taught_by: UUID | None) -> Conditions:
    """Limits instructors to the courses that they teach."""
    if taught_by is None:
        return ()
    where = f"row.id = ANY(ARRAY({TAUGHT}))"
    return (Condition(where=where, ids=TAUGHT, params={"taught_by": taught_by}),)


COURSES = List(
    name="courses",
    table="courses",
    kind=Course,
    columns={"category": CATEGORY, "languages": LANGUAGES},
    filters={
        "updated_since": CHANGED_SINCE,
        "status": equal("status"),
        "slug": equal("slug"),
        "category_id": equal("category_id", "created_at"),
        "q": Condition(where=WITH_TEXT),
        "tags": match_tags,
    },
)
COURSE_ROWS = List(
    name="courses/listed",
    table="courses",
    kind=ListedCourse,
    columns={
        "modules": """(
            SELECT count(*) FROM modules WHERE modules.tenant_id = :tenant AND modules.course_id = row.id)""",
        "enrollments": _COUNT.format("enrollments"),
        "completions": _COUNT.format("completed"),
    },
    orders={"title": Walk(keys=("title_key",)), "created": Walk(keys=("created_at",))},
    filters={"status": equal("status"), "q": Condition(where=WITH_TEXT)},
    reach=_within,
)
# For choosing a course.
NAMES = COURSE_ROWS.with_kind(CourseName, "courses/names", columns={})
# The members of a module that are in its content. Only a practice has them.
CHECKLIST_COLUMNS = {
    "items": "CASE WHEN row.type = 'PRACTICE' THEN row.content -> 'items' END",
    "qualification": "CASE WHEN row.type = 'PRACTICE' THEN row.content ->> 'qualification' END",
}
MODULES = List(
    name="courses/modules",
    table="modules",
    kind=Module,
    columns={**WORKLOAD_COLUMNS, **CHECKLIST_COLUMNS},
    default_walk=Walk(keys=("position",)),
    reach=by_owner("course_id", "position"),
)
CATEGORIES = List(
    name="categories", table="categories", kind=ListedCategory, default_walk=Walk(keys=("name",))
)
