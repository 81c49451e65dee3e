"""The lists of classes, sessions, registrations and attendance."""

from trilha.core.lists import CHANGED_SINCE, NEWEST, Condition, Conditions, List, Walk, by_owner, equal
from trilha.training.classes.schema import (
    Attendance,
    ClassRegistration,
    ClassSession,
    ListedClass,
)

CLASS_STATUS = """CASE WHEN row.cancelled_at IS NOT NULL THEN 'CANCELLED'
    WHEN row.ends_at <= CAST(:now AS timestamptz) THEN 'ENDED' ELSE 'SCHEDULED' END"""
_NEWEST = NEWEST.keys
CLASSES = List(
    name="classes",
    table="classes",
    kind=ListedClass,
    columns={"status": CLASS_STATUS},
    filters={
        "course_id": equal("course_id", *_NEWEST),
        "status": {
            status: (Condition(where=f"{CLASS_STATUS} = '{status}'"),)
            for status in ("SCHEDULED", "ENDED", "CANCELLED")
        },
        "updated_since": CHANGED_SINCE,
    },
)
SESSION_COLUMNS = {
    "status": "CASE WHEN row.cancelled_at IS NULL THEN 'SCHEDULED' ELSE 'CANCELLED' END",
    "instructor_ids": """ARRAY(
        SELECT i.user_id FROM class_instructors AS i
        WHERE i.tenant_id = :tenant AND i.session_id = row.id ORDER BY i.number)""",
}
SESSIONS = List(
    name="classes/sessions",
    table="class_sessions",
    kind=ClassSession,
    columns=SESSION_COLUMNS,
    default_walk=Walk(keys=("starts_at",)),
    reach=by_owner("class_id", "starts_at"),
)
REGISTRATION_COLUMNS = {
    "position": """CASE WHEN row.status = 'WAITLISTED' THEN (
        SELECT count(*) FROM class_registrations AS w
        WHERE w.tenant_id = :tenant AND w.class_id = row.class_id AND w.status = 'WAITLISTED'
          AND w.ticket <= row.ticket) END""",
}
_WAITING = Condition(where="row.status = 'WAITLISTED'", bounds="ticket", order=(Walk(keys=("ticket",)),))
_OF_USER = Condition(
    where="row.user_id = :user_id",
    ids="SELECT id FROM class_registrations WHERE tenant_id = :tenant AND user_id = :user_id",
)
REGISTRATIONS = List(
    name="classes/registrations",
    table="class_registrations",
    kind=ClassRegistration,
    columns=REGISTRATION_COLUMNS,
    default_walk=Walk(keys=("created_at",)),
    filters={
        "status": {
            "REGISTERED": (Condition(where="row.status = 'REGISTERED'"),),
            "WAITLISTED": (_WAITING,),
            "CANCELLED": (Condition(where="row.status = 'CANCELLED'"),),
        },
        "user_id": _OF_USER,
    },
    reach=by_owner("class_id", "created_at", "ticket"),
)
_ATTENDANCE_MEMBER = """(SELECT a.{} FROM class_attendance AS a
    WHERE a.tenant_id = :tenant AND a.session_id = :of_session AND a.user_id = row.user_id)"""


def of_session(session: ClassSession) -> Conditions:
    """Limits the list of attendance to the people with a place in the class of a session."""
    condition = Condition(
        where="row.class_id = :of_class AND row.status = 'REGISTERED'",
        leads=("created_at",),
        params={"of_class": session.class_id, "of_session": session.id},
    )
    return (condition,)


ATTENDANCE = List(
    name="sessions/attendance",
    table="class_registrations",
    kind=Attendance,
    columns={
        "minutes": f"COALESCE({_ATTENDANCE_MEMBER.format('minutes')}, 0)",
        "method": _ATTENDANCE_MEMBER.format("method"),
        "recorded_at": _ATTENDANCE_MEMBER.format("recorded_at"),
    },
    default_walk=Walk(keys=("created_at",)),
    reach=of_session,
)
