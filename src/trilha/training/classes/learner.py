"""What a learner sees of classes: those of a course to choose from, and their own place and presence."""

import math
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.training.classes import lists
from trilha.training.classes.rules import RegistrationStatus
from trilha.training.classes.schema import ClassSession, ClassStatus

_MAX_CLASSES = 200
_MAX_CHOICES = 5


class OfferedClass(Struct, frozen=True):
    """A class of a course, and the learner's own place in it, if any. `starts_at` is the start of its first
    session that is not cancelled.
    """

    id: UUID
    module_id: UUID
    title: str
    status: ClassStatus
    maximum_people: int
    registered: int
    waitlisted: int
    waiting_list: bool
    starts_at: Timestamp | None
    cancel_reason: str | None
    registration_id: UUID | None
    registration: RegistrationStatus | None
    position: int | None

    @property
    def places_left(self) -> int:
        """How many people get a place at once. Nobody passes those who wait."""
        return 0 if self.waitlisted else self.maximum_people - self.registered

    def is_open(self, now: datetime) -> bool:
        """Returns whether people may still register or cancel themselves: until the first session starts."""
        return (
            self.status == "SCHEDULED" and self.starts_at is not None and self.starts_at > Timestamp.of(now)
        )

    def may_cancel(self, now: datetime) -> bool:
        return self.registration is not None and (self.is_open(now) or self.registration == "WAITLISTED")


_COLUMNS = f"""row.id, row.module_id, row.title, {lists.CLASS_STATUS} AS status, row.maximum_people,
    row.registered, row.waitlisted, row.waiting_list,
    (SELECT min(s.starts_at) FROM class_sessions AS s
     WHERE s.tenant_id = :tenant AND s.class_id = row.id AND s.cancelled_at IS NULL) AS starts_at,
    row.cancel_reason, r.id AS registration_id, r.status AS registration,
    CASE WHEN r.status = 'WAITLISTED' THEN (
        SELECT count(*) FROM class_registrations AS w
        WHERE w.tenant_id = :tenant AND w.class_id = row.id AND w.status = 'WAITLISTED'
          AND w.ticket <= r.ticket) END AS position"""  # noqa: S608
_OWN = """LEFT JOIN class_registrations AS r ON r.tenant_id = :tenant AND r.class_id = row.id
    AND r.user_id = :user_id AND r.cancelled_at IS NULL"""


async def list_of_course(tx: Tx, course_id: UUID, user_id: UUID) -> list[OfferedClass]:
    """Lists the classes of a course that have not ended, and those with a place of this person; the next one
    comes first.
    """
    return await tx.list(
        OfferedClass,
        f"""
        SELECT * FROM (
            SELECT {_COLUMNS} FROM classes AS row
            JOIN modules AS m ON m.tenant_id = :tenant AND m.id = row.module_id
            {_OWN}
            WHERE row.tenant_id = :tenant AND row.course_id = :course_id
              AND (r.id IS NOT NULL
                   OR (row.cancelled_at IS NULL AND row.ends_at > CAST(:now AS timestamptz)))) AS offered
        ORDER BY registration IS NULL, status = 'ENDED', starts_at NULLS LAST, id LIMIT :limit
        """,  # noqa: S608
        course_id=course_id,
        user_id=user_id,
        limit=_MAX_CLASSES,
    )


async def get_of_course(tx: Tx, course_id: UUID, class_id: UUID, user_id: UUID) -> OfferedClass:
    """Raises NotFound, also for a class of another course."""
    found = await tx.find(
        OfferedClass,
        f"""
        SELECT {_COLUMNS} FROM classes AS row {_OWN}
        WHERE row.tenant_id = :tenant AND row.course_id = :course_id AND row.id = :class_id
        """,  # noqa: S608
        course_id=course_id,
        class_id=class_id,
        user_id=user_id,
    )
    if found is None:
        raise NotFound("class_not_found")
    return found


async def load_sessions(tx: Tx, class_ids: Sequence[UUID]) -> dict[UUID, list[ClassSession]]:
    """Returns the sessions of classes, by class and start."""
    by_class: dict[UUID, list[ClassSession]] = {each: [] for each in class_ids}
    if not class_ids:
        return by_class
    sessions = await tx.list(
        ClassSession,
        f"""
        SELECT {lists.SESSIONS.select_columns} FROM class_sessions AS row
        WHERE row.tenant_id = :tenant AND row.class_id = ANY(:ids) ORDER BY row.starts_at, row.id
        """,  # noqa: S608
        ids=list(class_ids),
    )
    for session in sessions:
        by_class[session.class_id].append(session)
    return by_class


async def load_instructor_names(tx: Tx, class_ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    """Returns the names of the instructors by session."""
    rows = await tx.rows(
        """
        SELECT i.session_id, array_agg(u.name ORDER BY i.number) AS names
        FROM class_sessions AS s
        JOIN class_instructors AS i ON i.tenant_id = :tenant AND i.session_id = s.id
        JOIN users AS u ON u.tenant_id = :tenant AND u.id = i.user_id
        WHERE s.tenant_id = :tenant AND s.class_id = ANY(:ids) GROUP BY i.session_id
        """,
        ids=list(class_ids),
    )
    return {row["session_id"]: row["names"] for row in rows}


async def teaches_in(tx: Tx, course_id: UUID, user_id: UUID) -> bool:
    """Returns whether this person is an instructor of any session in a course."""
    found: bool = await tx.value(
        """
        SELECT EXISTS (
            SELECT FROM class_instructors AS i
            JOIN class_sessions AS s ON s.tenant_id = :tenant AND s.id = i.session_id
            JOIN classes AS c ON c.tenant_id = :tenant AND c.id = s.class_id
            WHERE i.tenant_id = :tenant AND i.user_id = :user_id AND c.course_id = :course_id)
        """,
        course_id=course_id,
        user_id=user_id,
    )
    return found


class OwnPlace(Struct, frozen=True):
    """A person's place in a class of a module, with its next session, if there is one. `minutes` were
    attended of `length`, of which the module requires `percent`.
    """

    module_id: UUID
    class_id: UUID
    title: str
    status: RegistrationStatus
    percent: int
    minutes: int
    length: int
    session_id: UUID | None
    starts_at: Timestamp | None
    ends_at: Timestamp | None
    time_zone: str | None
    room: str | None
    meeting_url: str | None

    @property
    def needed(self) -> int:
        """The minutes of presence that complete the module."""
        return math.ceil(self.length * self.percent / 100)

    @property
    def missing(self) -> int:
        return max(self.needed - self.minutes, 0)


async def load_places(
    tx: Tx, course_id: UUID, user_id: UUID, enrollment_id: UUID | None
) -> dict[UUID, OwnPlace]:
    """Returns a person's place in a class by module: that with the next session, or else with the most
    presence.

    Presence in a class that has ended counts for the enrollment of its time alone. A class that has not ended
    may still count for a later one.
    """
    places = await tx.list(
        OwnPlace,
        """
        SELECT c.module_id, c.id AS class_id, c.title, r.status, m.presence_percent AS percent,
               COALESCE(total.minutes, 0)::int AS minutes, COALESCE(total.length, 0)::int AS length,
               following.id AS session_id, following.starts_at, following.ends_at, following.time_zone,
               following.room, following.meeting_url
        FROM class_registrations AS r
        JOIN classes AS c ON c.tenant_id = :tenant AND c.id = r.class_id AND c.cancelled_at IS NULL
        JOIN modules AS m ON m.tenant_id = :tenant AND m.id = c.module_id
        LEFT JOIN LATERAL (
            SELECT sum(floor(extract(epoch FROM s.ends_at - s.starts_at) / 60)) AS length,
                   sum(LEAST(COALESCE(a.minutes, 0),
                             floor(extract(epoch FROM s.ends_at - s.starts_at) / 60))) AS minutes
            FROM class_sessions AS s
            LEFT JOIN class_attendance AS a
                   ON a.tenant_id = :tenant AND a.session_id = s.id AND a.user_id = r.user_id
            WHERE s.tenant_id = :tenant AND s.class_id = c.id AND s.cancelled_at IS NULL) AS total ON true
        LEFT JOIN LATERAL (
            SELECT s.id, s.starts_at, s.ends_at, s.time_zone, s.room, s.meeting_url FROM class_sessions AS s
            WHERE s.tenant_id = :tenant AND s.class_id = c.id AND s.cancelled_at IS NULL
              AND s.ends_at > CAST(:now AS timestamptz)
            ORDER BY s.starts_at, s.id LIMIT 1) AS following ON true
        WHERE r.tenant_id = :tenant AND r.user_id = :user_id AND r.cancelled_at IS NULL
          AND c.course_id = :course_id
          AND (r.enrollment_id = COALESCE(CAST(:enrollment_id AS uuid), r.enrollment_id)
               OR c.ends_at IS NULL OR c.ends_at > CAST(:now AS timestamptz))
        ORDER BY following.starts_at IS NULL, r.status, following.starts_at,
                 total.minutes DESC NULLS LAST, c.id
        """,
        course_id=course_id,
        user_id=user_id,
        enrollment_id=enrollment_id,
    )
    by_module: dict[UUID, OwnPlace] = {}
    for place in places:
        by_module.setdefault(place.module_id, place)
    return by_module


class ClassChoice(Struct, frozen=True):
    """A course of a person in which they have to choose a class."""

    course_id: UUID
    course_title: str
    classes: int


async def list_choices(tx: Tx, user_id: UUID) -> list[ClassChoice]:
    """Lists the open courses of a person with a class to choose: there are classes that have not started, and
    the person has no place in one and has not completed the module.
    """
    return await tx.list(
        ClassChoice,
        """
        SELECT e.course_id, (SELECT title FROM courses WHERE tenant_id = :tenant AND id = e.course_id)
                   AS course_title,
               count(*) AS classes
        FROM enrollments AS e
        JOIN modules AS m ON m.tenant_id = :tenant AND m.course_id = e.course_id AND m.type = 'CLASS'
        JOIN classes AS c ON c.tenant_id = :tenant AND c.module_id = m.id AND c.cancelled_at IS NULL
         AND c.ends_at > CAST(:now AS timestamptz)
        LEFT JOIN module_progress AS p ON p.tenant_id = :tenant AND p.enrollment_id = e.id
         AND p.module_id = m.id
        WHERE e.tenant_id = :tenant AND e.user_id = :user_id AND e.status IN ('NOT_STARTED', 'IN_PROGRESS')
          AND (e.expires_at IS NULL OR e.expires_at > CAST(:now AS timestamptz))
          AND p.completed_at IS NULL
          AND (c.registered < c.maximum_people OR c.waiting_list)
          AND (SELECT min(s.starts_at) FROM class_sessions AS s
               WHERE s.tenant_id = :tenant AND s.class_id = c.id AND s.cancelled_at IS NULL)
              > CAST(:now AS timestamptz)
          AND NOT EXISTS (
            SELECT FROM class_registrations AS r
            JOIN classes AS o ON o.tenant_id = :tenant AND o.id = r.class_id
            WHERE r.tenant_id = :tenant AND r.user_id = :user_id AND r.cancelled_at IS NULL
              AND o.module_id = m.id AND o.cancelled_at IS NULL AND o.ends_at > CAST(:now AS timestamptz))
        GROUP BY e.course_id, e.due_at, e.expires_at
        ORDER BY LEAST(e.due_at, e.expires_at) NULLS LAST, e.course_id LIMIT :limit
        """,
        user_id=user_id,
        limit=_MAX_CHOICES,
    )
