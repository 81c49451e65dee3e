"""The lists of courses in the catalog."""

from trilha.core.lists import Condition, Conditions, List, Walk, equal
from trilha.training.catalog.schema import CatalogCourse, Reader
from trilha.training.courses.lists import CATEGORY, LANGUAGES, WITH_TEXT, match_tags
from trilha.training.courses.schema import Course
from trilha.training.enrollments.lists import DUE, RENEWABLE_FROM

IN_CATALOG = "{0}status = 'PUBLISHED' AND {0}self_enrollment <> 'CLOSED'"
_BY_TITLE = Walk(keys=("title_key",))
# A bound of the walk, so that the index has only these rows and begins with the category if there is one.
_CONDITION = Condition(where=IN_CATALOG.format("row."), bounds="title_key")

CATALOG = List(
    name="catalog",
    table="courses",
    kind=Course,
    columns={"category": CATEGORY, "languages": LANGUAGES},
    default_walk=_BY_TITLE,
    always=(_CONDITION,),
    filters={
        "q": Condition(where=WITH_TEXT),
        "category_id": equal("category_id", "title_key"),
        "tags": match_tags,
        "self_enrollment": equal("self_enrollment"),
    },
)

# The reader's enrollment that is open or completed.
_CURRENT = f"""(
    SELECT {{}} FROM enrollments AS e
    WHERE e.tenant_id = :tenant AND e.user_id = :reader AND e.course_id = row.id AND e.current
      AND NOT COALESCE({DUE.format("e.")}, false)
    LIMIT 1)"""  # noqa: S608
_REQUEST = """(
    SELECT {} FROM enrollment_requests AS request
    WHERE request.tenant_id = :tenant AND request.user_id = :reader AND request.course_id = row.id
    ORDER BY request.created_at DESC, request.status = 'WAITING' DESC, request.id LIMIT 1)"""


# The course's texts in the language of the reader's pages.
_TRANSLATION = """(
    SELECT translation.{} FROM course_translations AS translation
    WHERE translation.tenant_id = :tenant AND translation.course_id = row.id
      AND translation.language = :locale{})"""
_HAS_WORDS = f"""({WITH_TEXT} OR (
    SELECT strpos(search_text(translation.title), (SELECT search_text(trim(:q)))) > 0
    FROM course_translations AS translation
    WHERE translation.tenant_id = :tenant AND translation.course_id = row.id
      AND translation.language = :locale))"""  # noqa: S608


def _read_by(reader: Reader) -> Conditions:
    return (Condition(where="true", params={"reader": reader.user_id, "locale": reader.locale}),)


LEARNER_CATALOG = List(
    name="learn/catalog",
    table="courses",
    kind=CatalogCourse,
    columns={
        "category": CATEGORY,
        "language": f"COALESCE({_TRANSLATION.format('language', '')}, row.language)",
        "own_language": "row.language",
        "title": f"COALESCE({_TRANSLATION.format('title', '')}, row.title)",
        "title_language": "COALESCE("
        + _TRANSLATION.format("language", " AND translation.title IS NOT NULL")
        + ", row.language)",
        "description": f"COALESCE({_TRANSLATION.format('description', '')}, row.description)",
        "description_language": "COALESCE("
        + _TRANSLATION.format("language", " AND translation.description IS NOT NULL")
        + ", row.language)",
        "modules": """(
            SELECT count(*) FROM modules m WHERE m.tenant_id = :tenant AND m.course_id = row.id)""",
        "enrollment_id": _CURRENT.format("e.id"),
        "enrollment_status": _CURRENT.format("e.status"),
        "is_renewable": f"COALESCE({_CURRENT.format(RENEWABLE_FROM.format('e') + ' <= :now')}, false)",
        "request_status": _REQUEST.format("request.status"),
        "request_reason": _REQUEST.format("request.reason"),
        "request_at": _REQUEST.format("request.created_at"),
    },
    default_walk=_BY_TITLE,
    always=(_CONDITION,),
    filters={
        "q": Condition(where=_HAS_WORDS),
        "category": equal("category", "title_key", column="category_id"),
    },
    reach=_read_by,
)
# The page of one course opens from a notification too, although the course may have been closed meanwhile.
_HAS_REQUEST = _REQUEST.format("true")
LEARNER_COURSES = LEARNER_CATALOG.with_kind(
    CatalogCourse,
    "learn/catalog/course",
    always=(Condition(where=f"({IN_CATALOG.format('row.')}) OR {_HAS_REQUEST}"),),
)
