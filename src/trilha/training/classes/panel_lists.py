"""The lists of the panel: classes within a viewer's reach, and the people of a class."""

from collections.abc import Mapping
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import NEWEST, Condition, Conditions, List, Walk, by_owner, equal, find_row
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.people.users import lists as people
from trilha.people.users import words
from trilha.people.users.reach import TAUGHT, Reach
from trilha.training.classes.lists import CLASS_STATUS, REGISTRATION_COLUMNS
from trilha.training.classes.rules import RegistrationStatus
from trilha.training.classes.schema import ClassStatus

When = Literal["today", "week", "month", "past"]


class ListedClassRow(Struct, frozen=True):
    """A class as the panel lists it. `starts_at` is that of its next session, or else of its last one."""

    id: UUID
    course_id: UUID
    course_title: str
    module_id: UUID
    module_title: str
    title: str
    status: ClassStatus
    minimum_people: int
    maximum_people: int
    waiting_list: bool
    registered: int
    waitlisted: int
    sessions: int
    starts_at: Timestamp | None
    time_zone: str | None
    room: str | None
    is_online: bool
    cancel_reason: str | None
    created_at: Timestamp


class ClassSearch(ListQuery, frozen=True, kw_only=True):
    course: UUID | None = None
    status: Literal["scheduled", "ended", "cancelled"] | None = None
    when: When | None = None
    instructor: UUID | None = None


_SESSION = """(SELECT {} FROM class_sessions AS s
    WHERE s.tenant_id = :tenant AND s.class_id = row.id AND s.cancelled_at IS NULL
    ORDER BY s.ends_at <= CAST(:now AS timestamptz),
             CASE WHEN s.ends_at > CAST(:now AS timestamptz) THEN s.starts_at END,
             s.starts_at DESC LIMIT 1)"""
_TAUGHT_SESSION = """(
    SELECT true FROM class_sessions AS s
    JOIN class_instructors AS i ON i.tenant_id = :tenant AND i.session_id = s.id
    WHERE s.tenant_id = :tenant AND s.class_id = row.id AND i.user_id = {} LIMIT 1)"""
_ZONE = """COALESCE(
    (SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant), 'America/Sao_Paulo')"""
_MIDNIGHT = f"(date_trunc('day', CAST(:now AS timestamptz) AT TIME ZONE {_ZONE}) AT TIME ZONE {_ZONE})"
_MEETS = """(
    SELECT true FROM class_sessions AS s
    WHERE s.tenant_id = :tenant AND s.class_id = row.id AND s.cancelled_at IS NULL AND {} LIMIT 1)"""


def _meets_within(days: int) -> Conditions:
    where = f"s.ends_at > CAST(:now AS timestamptz) AND s.starts_at < {_MIDNIGHT} + interval '{days} days'"
    return (Condition(where=_MEETS.format(where)),)


def teaches(alias: str) -> str:
    """Returns SQL that selects classes of an instructor's courses, and those with a session of theirs."""
    return f"({alias}.course_id = {TAUGHT} OR {_TAUGHT_SESSION.replace('row.id', alias + '.id')})".format(
        ":reach_user"
    )


def _within(reach: Reach) -> Conditions:
    """Instructors see the classes of the courses that they teach, and those with a session of theirs."""
    if reach.role != "instrutor":
        return ()
    return (Condition(where=teaches("row"), params={"reach_user": reach.user_id}),)


_STATUSES: Mapping[str, Conditions] = {
    status.lower(): (Condition(where=f"{CLASS_STATUS} = '{status}'"),)
    for status in ("SCHEDULED", "ENDED", "CANCELLED")
}
CLASS_ROWS = List(
    name="classes/listed",
    table="classes",
    kind=ListedClassRow,
    columns={
        "status": CLASS_STATUS,
        "course_title": "(SELECT title FROM courses WHERE tenant_id = :tenant AND id = row.course_id)",
        "module_title": "(SELECT title FROM all_modules WHERE tenant_id = :tenant AND id = row.module_id)",
        "sessions": """(SELECT count(*) FROM class_sessions AS s
            WHERE s.tenant_id = :tenant AND s.class_id = row.id AND s.cancelled_at IS NULL)""",
        "starts_at": _SESSION.format("s.starts_at"),
        "time_zone": _SESSION.format("s.time_zone"),
        "room": _SESSION.format("s.room"),
        "is_online": f"COALESCE({_SESSION.format('s.meeting_url IS NOT NULL')}, false)",
    },
    filters={
        "course": equal("course", *NEWEST.keys, column="course_id"),
        "status": _STATUSES,
        "when": {
            "today": _meets_within(1),
            "week": _meets_within(7),
            "month": _meets_within(30),
            "past": (Condition(where=_MEETS.format("s.ends_at <= CAST(:now AS timestamptz)")),),
        },
        "instructor": Condition(where=_TAUGHT_SESSION.format(":instructor")),
    },
    reach=_within,
)


async def get_within(tx: Tx, class_id: UUID, reach: Reach) -> ListedClassRow:
    """Raises NotFound, also for a class out of reach."""
    row = await find_row(tx, CLASS_ROWS, class_id, reach)
    if row is None:
        raise NotFound("class_not_found")
    return row


class PersonOfClass(Struct, frozen=True):
    """A registration with its person. `minutes` are those of all sessions that are not cancelled; None until
    any are recorded.
    """

    id: UUID
    user_id: UUID
    user_name: str
    user_email: str
    business_unit: str | None
    enrollment_id: UUID
    status: RegistrationStatus
    position: int | None
    minutes: int | None
    cancel_reason: str | None
    created_at: Timestamp
    updated_at: Timestamp


class PeopleOfClassQuery(ListQuery, frozen=True, kw_only=True):
    state: Literal["registered", "waitlisted", "cancelled"] = "registered"
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None


class ClassReach(Struct, frozen=True):
    """The class, and the people that the viewer may see in it. Who sees a class as its instructor sees
    everybody in it.
    """

    class_id: UUID
    people: Reach


async def _match_text(tx: Tx, query: PeopleOfClassQuery, reach: ClassReach) -> Conditions:
    return words.find_typed(tx, query.q or "", "user_id")


_OF_CLASS = by_owner("class_id", "created_at", "ticket")
_PERSON = "(SELECT {} FROM users AS u WHERE u.tenant_id = :tenant AND u.id = row.user_id)"
_WAITING = Condition(where="row.status = 'WAITLISTED'", bounds="ticket", order=(Walk(keys=("ticket",)),))


def _people_within(reach: ClassReach) -> Conditions:
    among = people.in_reach(reach.people, "user_id") if reach.people.role == "gestor" else ()
    return (*_OF_CLASS(reach.class_id), *among)


PEOPLE_OF_CLASS = List(
    name="classes/people",
    table="class_registrations",
    kind=PersonOfClass,
    columns={
        **REGISTRATION_COLUMNS,
        "user_name": _PERSON.format("u.name"),
        "user_email": _PERSON.format("u.email"),
        "business_unit": """(SELECT b.name FROM users AS u
            JOIN business_units AS b ON b.tenant_id = :tenant AND b.id = u.business_unit_id
            WHERE u.tenant_id = :tenant AND u.id = row.user_id)""",
        "minutes": """(SELECT sum(a.minutes)::int FROM class_sessions AS s
            JOIN class_attendance AS a
              ON a.tenant_id = :tenant AND a.session_id = s.id AND a.user_id = row.user_id
            WHERE s.tenant_id = :tenant AND s.class_id = row.class_id AND s.cancelled_at IS NULL)""",
    },
    default_walk=Walk(keys=("created_at",)),
    filters={
        "state": {
            "registered": (Condition(where="row.status = 'REGISTERED'"),),
            "waitlisted": (_WAITING,),
            "cancelled": (Condition(where="row.status = 'CANCELLED'"),),
        },
        "q": _match_text,
    },
    reach=_people_within,
)


class Counts(Struct, frozen=True):
    registered: int
    waitlisted: int
    cancelled: int


async def count_people(tx: Tx, reach: ClassReach) -> Counts:
    """Counts the people within reach under each tab of a class."""
    conditions = _people_within(reach)
    where = " AND ".join(f"({each.where})" for each in conditions)
    params = {name: value for each in conditions for name, value in each.params.items()}
    counts = await tx.find(
        Counts,
        f"""
        SELECT count(*) FILTER (WHERE row.status = 'REGISTERED') AS registered,
               count(*) FILTER (WHERE row.status = 'WAITLISTED') AS waitlisted,
               count(*) FILTER (WHERE row.status = 'CANCELLED') AS cancelled
        FROM class_registrations AS row WHERE row.tenant_id = :tenant AND {where}
        """,  # noqa: S608
        **params,
    )
    assert counts is not None
    return counts


class Instructor(Struct, frozen=True):
    id: UUID
    name: str


_MAX_INSTRUCTORS = 101


async def list_instructors(tx: Tx, typed: str = "", reach: Reach | None = None) -> list[Instructor]:
    """Lists people who are an instructor of any session, by name, at most 101."""
    own = reach is not None and reach.role == "instrutor"
    return await tx.list(
        Instructor,
        f"""
        SELECT u.id, u.name FROM users AS u
        WHERE u.tenant_id = :tenant AND u.id = ANY(ARRAY(
            SELECT DISTINCT user_id FROM class_instructors WHERE tenant_id = :tenant))
          AND strpos(u.name_key, search_text(CAST(:typed AS text))) > 0 {"AND u.id = :self" if own else ""}
        ORDER BY u.name_key, u.id LIMIT :limit
        """,  # noqa: S608
        typed=typed.strip(),
        limit=_MAX_INSTRUCTORS,
        **({"self": reach.user_id} if own and reach else {}),
    )


class ClassModule(Struct, frozen=True):
    """A module of the type CLASS with its course."""

    id: UUID
    title: str
    course_id: UUID
    course_title: str
    duration_minutes: int


async def list_modules(tx: Tx, course_id: UUID | None = None, limit: int = 500) -> list[ClassModule]:
    """Lists the modules of the type CLASS in courses that are not archived, by course."""
    only = "AND m.course_id = :course_id" if course_id else ""
    return await tx.list(
        ClassModule,
        f"""
        SELECT m.id, m.title, m.course_id, c.title AS course_title, m.duration_minutes
        FROM modules AS m JOIN courses AS c ON c.tenant_id = :tenant AND c.id = m.course_id
        WHERE m.tenant_id = :tenant AND m.type = 'CLASS' AND c.status <> 'ARCHIVED' {only}
        ORDER BY c.title_key, c.id, m.position LIMIT :limit
        """,  # noqa: S608
        limit=limit,
        **({"course_id": course_id} if course_id else {}),
    )


async def list_without_class(tx: Tx, class_id: UUID, reach: Reach, limit: int) -> list[UUID]:
    """Lists active people within reach with an open enrollment in the course of a class who have no place in
    a class of its module, nor wait for one; who was enrolled first comes first.
    """
    within, params = reach.condition("u")
    rows = await tx.rows(
        f"""
        SELECT e.user_id FROM classes AS c
        JOIN enrollments AS e ON e.tenant_id = :tenant AND e.course_id = c.course_id
         AND e.status IN ('NOT_STARTED', 'IN_PROGRESS')
        JOIN users AS u ON u.tenant_id = :tenant AND u.id = e.user_id AND u.status = 'ACTIVE'
        LEFT JOIN module_progress AS p ON p.tenant_id = :tenant AND p.enrollment_id = e.id
         AND p.module_id = c.module_id
        WHERE c.tenant_id = :tenant AND c.id = :class_id AND p.completed_at IS NULL AND ({within})
          AND (e.expires_at IS NULL OR e.expires_at > CAST(:now AS timestamptz))
          AND NOT EXISTS (
            SELECT FROM class_registrations AS r
            JOIN classes AS other ON other.tenant_id = :tenant AND other.id = r.class_id
            WHERE r.tenant_id = :tenant AND r.user_id = e.user_id AND r.cancelled_at IS NULL
              AND other.module_id = c.module_id AND other.cancelled_at IS NULL
              AND (other.ends_at > CAST(:now AS timestamptz) OR other.id = c.id))
        ORDER BY e.created_at, e.id LIMIT :limit
        """,  # noqa: S608
        class_id=class_id,
        limit=limit,
        **params,
    )
    return [row["user_id"] for row in rows]
