"""The lists of assessments, of modules with a checklist, and of the people to assess."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.lists import CHANGED_SINCE, NEWEST, Condition, Conditions, List, Walk, equal
from trilha.people.users import lists as people
from trilha.people.users import words
from trilha.people.users.reach import TAUGHT, Reach
from trilha.training.enrollments.lists import DUE, taught
from trilha.training.practice.schema import (
    AssessmentRow,
    AssessmentSearch,
    LearnerSearch,
    ListedAssessment,
    PracticeLearner,
    PracticeModule,
)

_NEWEST = NEWEST.keys
STATUS = """CASE WHEN {0}.annulled_at IS NOT NULL THEN 'ANNULLED'
    WHEN {0}.learner_signed_at IS NOT NULL THEN 'SIGNED'
    WHEN {0}.assessor_signed_at IS NOT NULL THEN 'ASSESSED' ELSE 'OPEN' END"""
_STATUS = STATUS.format("row")
_IN_STATUS: Mapping[str, Conditions] = {
    status: (Condition(where=f"{_STATUS} = '{status}'"),)
    for status in ("OPEN", "ASSESSED", "SIGNED", "ANNULLED")
}
ASSESSMENTS = List(
    name="practice-assessments",
    table="practice_assessments",
    kind=ListedAssessment,
    columns={"status": _STATUS},
    filters={
        "enrollment_id": Condition(
            where="row.enrollment_id = :enrollment_id",
            ids="""SELECT id FROM practice_assessments
                WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id""",
        ),
        "user_id": equal("user_id", *_NEWEST),
        "module_id": equal("module_id", *_NEWEST),
        "status": _IN_STATUS,
        "updated_since": CHANGED_SINCE,
    },
)


async def _match_text(tx: Tx, query: AssessmentSearch | LearnerSearch, reach: Any) -> Conditions:
    return words.find_typed(tx, query.q or "", "user_id")


def _within(reach: Reach) -> Conditions:
    """Limits instructors to assessments in their courses, and managers to those of their people."""
    if reach.role != "instrutor":
        return people.in_reach(reach, "user_id")
    return (structs.replace(taught("course_id", *_NEWEST), params={"reach_user": reach.user_id}),)


_USER = "(SELECT name FROM users WHERE tenant_id = :tenant AND id = row.{})"
_COURSE_TITLE = "(SELECT title FROM courses WHERE tenant_id = :tenant AND id = row.course_id)"
ROWS = List(
    name="practice-assessments/rows",
    table="practice_assessments",
    kind=AssessmentRow,
    columns={
        "status": _STATUS,
        "user_name": _USER.format("user_id"),
        "assessor_name": _USER.format("assessor_id"),
        "course_title": _COURSE_TITLE,
        "module_title": "(SELECT title FROM all_modules WHERE tenant_id = :tenant AND id = row.module_id)",
    },
    filters={"q": _match_text, "status": _IN_STATUS},
    reach=_within,
)
_OPEN = f"row.status IN ('NOT_STARTED', 'IN_PROGRESS') AND NOT COALESCE({DUE.format('row.')}, false)"


def _teaches(reach: Reach) -> Conditions:
    if reach.is_everyone:
        return ()
    return (Condition(where=f"row.course_id = {TAUGHT}", params={"reach_user": reach.user_id}),)


MODULES = List(
    name="practice/modules",
    table="modules",
    kind=PracticeModule,
    columns={
        "course_title": _COURSE_TITLE,
        "people": f"""(
            SELECT count(*) FROM enrollments AS place
            LEFT JOIN module_progress AS reached ON reached.tenant_id = :tenant
             AND reached.enrollment_id = place.id AND reached.module_id = row.id
            WHERE place.tenant_id = :tenant AND place.course_id = row.course_id
              AND {_OPEN.replace("row.", "place.")} AND reached.completed_at IS NULL)""",  # noqa: S608
    },
    default_walk=NEWEST,
    always=(
        Condition(where="row.type = 'PRACTICE'"),
        Condition(
            where="""(SELECT status FROM courses
                WHERE tenant_id = :tenant AND id = row.course_id) = 'PUBLISHED'"""
        ),
    ),
    reach=_teaches,
)


class Assessing(Struct, frozen=True):
    """The module and its course in which people are assessed, and the viewer's reach."""

    course_id: UUID
    module_id: UUID
    reach: Reach


def _to_assess(scope: Assessing) -> Conditions:
    of_course = Condition(
        where="row.course_id = :of_course",
        leads=_NEWEST,
        params={"of_course": scope.course_id, "of_module": scope.module_id},
    )
    incomplete = Condition(
        where="""(SELECT true FROM module_progress AS reached
            WHERE reached.tenant_id = :tenant AND reached.enrollment_id = row.id
              AND reached.module_id = :of_module AND reached.completed_at IS NOT NULL LIMIT 1) IS NULL"""
    )
    own = Condition(where="row.user_id <> :reach_viewer", params={"reach_viewer": scope.reach.user_id})
    return (of_course, incomplete, own)


_LAST = """(
    SELECT {} FROM practice_assessments AS last
    WHERE last.tenant_id = :tenant AND last.enrollment_id = row.id AND last.module_id = :of_module
    ORDER BY last.number DESC LIMIT 1)"""
LEARNERS = List(
    name="practice/learners",
    table="enrollments",
    kind=PracticeLearner,
    columns={
        "user_name": _USER.format("user_id"),
        "assessment_id": _LAST.format("last.id"),
        "status": _LAST.format(STATUS.format("last")),
        "result": _LAST.format("last.result"),
    },
    default_walk=Walk(keys=("created_at",), direction="DESC"),
    filters={"q": _match_text},
    always=(Condition(where=_OPEN),),
    reach=_to_assess,
)
