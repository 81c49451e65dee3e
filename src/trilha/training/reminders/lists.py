"""The reminders that a person has received, as the bell shows them."""

from trilha.core.lists import NEWEST, List, by_owner
from trilha.core.types import Timestamp
from trilha.training.reminders.schema import Reminder

# The person and the course of the enrollment, or of the request for one.
_SUBJECT = """(
    SELECT {0} FROM all_enrollments AS subject {1}
    WHERE subject.tenant_id = :tenant AND subject.id = row.enrollment_id
    UNION ALL
    SELECT {0} FROM enrollment_requests AS subject {1}
    WHERE subject.tenant_id = :tenant AND subject.id = row.request_id)"""
_DUE = """(
    SELECT COALESCE(e.due_at, e.expires_at) FROM all_enrollments AS e
    WHERE e.tenant_id = :tenant AND e.id = row.enrollment_id)"""
_OF_MESSAGE = """(
    SELECT m.{} FROM learner_question_messages AS m WHERE m.tenant_id = :tenant AND m.id = row.message_id)"""


class ReceivedReminder(Reminder, frozen=True):
    read_at: Timestamp | None


NOTIFICATIONS = List(
    name="learn/notifications",
    table="reminders",
    kind=ReceivedReminder,
    columns={
        "course_id": _SUBJECT.format("subject.course_id", ""),
        "course": _SUBJECT.format(
            "c.title", "JOIN courses AS c ON c.tenant_id = :tenant AND c.id = subject.course_id"
        ),
        "learner": _SUBJECT.format(
            "u.name", "JOIN users AS u ON u.tenant_id = :tenant AND u.id = subject.user_id"
        ),
        "due_at": _DUE,
        "text": "COALESCE(row.text, " + _OF_MESSAGE.format("text") + ")",
        "question_id": _OF_MESSAGE.format("question_id"),
    },
    default_walk=NEWEST,
    reach=by_owner("user_id", "created_at"),
)
