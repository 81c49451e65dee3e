"""The lists of questions: for instructors, and for the learners of a course."""

from uuid import UUID

from msgspec import Struct, structs

from trilha.core.lists import Condition, Conditions, List, Walk, equal
from trilha.training.enrollments.lists import taught
from trilha.training.learner_questions.schema import LearnersQuestion, ListedQuestion

_FIRST = """(SELECT {} FROM learner_question_messages AS m {}
    WHERE m.tenant_id = :tenant AND m.question_id = row.id AND {} ORDER BY m.number LIMIT 1)"""
_COLUMNS = {
    "module_title": "(SELECT title FROM all_modules WHERE tenant_id = :tenant AND id = row.module_id)",
    "text": _FIRST.format("m.text", "", "m.number = 1"),
}
_LATEST_CHANGE = (Walk(keys=("changed_at",), direction="DESC"),)


def _within(taught_by: UUID | None) -> Conditions:
    """An instructor sees the questions in the courses that they teach."""
    if taught_by is None:
        return ()
    within = taught("course_id", "waiting_since", "created_at")
    return (structs.replace(within, params={"reach_user": taught_by}),)


def _in_state(state: str) -> Conditions:
    return (Condition(where=f"row.state = '{state}'", leads=("changed_at",), order=_LATEST_CHANGE),)


QUESTIONS = List(
    name="learner-questions",
    table="learner_questions",
    kind=ListedQuestion,
    columns={
        **_COLUMNS,
        "user_name": "(SELECT name FROM users WHERE tenant_id = :tenant AND id = row.user_id)",
        "course_title": "(SELECT title FROM courses WHERE tenant_id = :tenant AND id = row.course_id)",
        "answered_by": _FIRST.format(
            "u.name", "JOIN users AS u ON u.tenant_id = :tenant AND u.id = m.user_id", "m.is_answer"
        ),
    },
    filters={
        "state": {
            "waiting": (
                Condition(
                    where="row.waiting_since IS NOT NULL",
                    bounds="waiting_since",
                    order=(Walk(keys=("waiting_since",)),),
                ),
            ),
            "answered": _in_state("ANSWERED"),
            "closed": _in_state("CLOSED"),
            "all": (),
        },
        "course": equal("course", "waiting_since", "created_at", column="course_id"),
    },
    reach=_within,
)


class Reader(Struct, frozen=True):
    """A learner who reads the questions of a course."""

    user_id: UUID
    course_id: UUID


IS_SHARED = """(row.shared_at IS NOT NULL AND (
    SELECT true FROM learner_question_sharing AS s
    WHERE s.tenant_id = :tenant AND s.course_id = row.course_id LIMIT 1))"""


def _for_reader(reader: Reader) -> Conditions:
    return (
        Condition(
            where=f"row.course_id = :reader_course AND (row.user_id = :reader OR {IS_SHARED})",
            params={"reader": reader.user_id, "reader_course": reader.course_id},
        ),
    )


LEARNERS_QUESTIONS = List(
    name="learn/questions",
    table="learner_questions",
    kind=LearnersQuestion,
    columns=_COLUMNS,
    filters={
        "show": {
            "own": (Condition(where="row.user_id = :reader", leads=("created_at",)),),
            "shared": (
                Condition(where=f"row.user_id <> :reader AND {IS_SHARED}"),
                Condition(where="row.course_id = :reader_course", leads=("created_at",)),
            ),
        },
    },
    reach=_for_reader,
)
