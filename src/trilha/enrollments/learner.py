"""What learners see of their own enrollments: with the course, and what to go on with first."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery, Order, Page, fetch_page
from trilha.courses.schema import Difficulty
from trilha.enrollments.schema import EnrollmentStatus

# An enrollment that runs out within this time is told as one that is about to.
SOON = timedelta(days=7)
Shown = Literal["open", "completed", "expired"]


class MyCourse(Struct, frozen=True):
    """One enrollment and its course. `place` is what the list is ordered by; `soon`: it is about to run out.

    `required_fields` are the documents that the course asks for; None without a regulation. `next_module` is
    the title of what to go on with, where a module is left.
    """

    id: UUID
    place: int
    course_id: UUID
    title: str
    description: str | None
    difficulty: Difficulty | None
    duration_hours: float
    required_fields: Any
    thumbnail_url: str | None
    modules: int
    next_module: str | None
    status: EnrollmentStatus
    progress: float
    score: float | None
    soon: bool
    started_at: Timestamp | None
    completed_at: Timestamp | None
    expires_at: Timestamp | None
    created_at: Timestamp

    @property
    def cover(self) -> str:
        """The address of its picture, where it is one of ours: pages show nothing of other hosts."""
        url = self.thumbnail_url or ""
        return url if url.startswith("/") and not url.startswith("//") else ""


class MyCoursesQuery(ListQuery, frozen=True, kw_only=True):
    show: Shown = "open"


class Counts(Struct, frozen=True):
    open: int
    completed: int
    expired: int


# Past its expires_at it is expired, stored as that or not yet.
_STATE = """CASE WHEN e.status IN ('NOT_STARTED', 'IN_PROGRESS') AND e.expires_at <= :now
                 THEN 'EXPIRED' ELSE e.status END"""
_SOON = "COALESCE(e.expires_at <= CAST(:now AS timestamptz) + :soon, false)"


def _ms(column: str) -> str:
    return f"(extract(epoch FROM e.{column}) * 1000)::bigint"


# Lower comes first: what runs out soon, by its day; what was begun, the latest one first; then the rest, by
# the day it runs out. What is over: the latest first.
_PLACE = f"""CASE {_STATE}
    WHEN 'COMPLETED' THEN -{_ms("completed_at")}
    WHEN 'EXPIRED' THEN -COALESCE({_ms("expires_at")}, {_ms("updated_at")})
    ELSE CASE WHEN {_SOON} THEN {_ms("expires_at")}
              WHEN e.status = 'IN_PROGRESS' THEN 20000000000000 - {_ms("updated_at")}
              ELSE 20000000000000 + COALESCE({_ms("expires_at")}, 9000000000000) END
    END"""
# `learning.completion.rules.choose_next_module` in one statement: the last module, else required ones first.
_NEXT = """(
    SELECT m.title FROM modules m
    LEFT JOIN module_progress p ON p.tenant_id = e.tenant_id AND p.enrollment_id = e.id AND p.module_id = m.id
    WHERE m.tenant_id = e.tenant_id AND m.course_id = e.course_id AND p.completed_at IS NULL
          AND e.status <> 'COMPLETED'
    ORDER BY m.id = (
        SELECT a.module_id FROM launches l
        JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        WHERE l.tenant_id = e.tenant_id AND l.enrollment_id = e.id ORDER BY l.number DESC LIMIT 1
    ) DESC NULLS LAST, m.required DESC, m.position LIMIT 1)"""
_ROWS = f"""
    SELECT e.id, {_PLACE} AS place, e.course_id, c.title, c.description, c.difficulty, c.duration_hours,
           c.regulation -> 'required_profile_fields' AS required_fields,
           (SELECT count(*) FROM modules m
            WHERE m.tenant_id = e.tenant_id AND m.course_id = e.course_id) AS modules,
           c.thumbnail_url, {_NEXT} AS next_module, {_STATE} AS status, e.progress, e.score,
           {_STATE} IN ('NOT_STARTED', 'IN_PROGRESS') AND {_SOON} AS soon,
           e.started_at, e.completed_at, e.expires_at, e.created_at
    FROM enrollments e JOIN courses c ON c.tenant_id = e.tenant_id AND c.id = e.course_id
    WHERE e.tenant_id = :tenant AND e.user_id = :user_id"""  # noqa: S608
_STATES: dict[Shown, Sequence[str]] = {
    "open": ["NOT_STARTED", "IN_PROGRESS"],
    "completed": ["COMPLETED"],
    "expired": ["EXPIRED"],
}


async def list_page(tx: Tx, user_id: UUID, query: MyCoursesQuery) -> Page[MyCourse]:
    """What to go on with first; of what is over, the latest first."""
    return await fetch_page(
        tx,
        MyCourse,
        f"SELECT {columns_of(MyCourse)} FROM ({_ROWS}) AS mine WHERE status = ANY(:states)",  # noqa: S608
        query,
        route=f"learn/{user_id}",
        order=Order("place", "ASC"),
        user_id=user_id,
        soon=SOON,
        states=_STATES[query.show],
    )


async def count(tx: Tx, user_id: UUID) -> Counts:
    """How many there are under each of the list's tabs."""
    counts = await tx.find(
        Counts,
        f"""
        SELECT count(*) FILTER (WHERE state IN ('NOT_STARTED', 'IN_PROGRESS')) AS open,
               count(*) FILTER (WHERE state = 'COMPLETED') AS completed,
               count(*) FILTER (WHERE state = 'EXPIRED') AS expired
        FROM (SELECT {_STATE} AS state FROM enrollments e
              WHERE e.tenant_id = :tenant AND e.user_id = :user_id) AS mine
        """,  # noqa: S608
        user_id=user_id,
    )
    assert counts is not None
    return counts


async def get(tx: Tx, user_id: UUID, enrollment_id: UUID) -> MyCourse:
    """One of this person's own. Raises NotFound."""
    one = f"{_ROWS} AND e.id = :enrollment_id"
    found = await tx.find(MyCourse, one, user_id=user_id, soon=SOON, enrollment_id=enrollment_id)
    if found is None:
        raise NotFound("enrollment_not_found")
    return found


class Asking(Struct, frozen=True):
    """A course that asks for documents."""

    title: str
    required_fields: list[str]


async def list_asking(tx: Tx, user_id: UUID) -> list[Asking]:
    """The courses that are open to this person and ask for documents."""
    return await tx.list(
        Asking,
        f"""
        SELECT c.title, c.regulation -> 'required_profile_fields' AS required_fields
        FROM enrollments e JOIN courses c ON c.tenant_id = e.tenant_id AND c.id = e.course_id
        WHERE e.tenant_id = :tenant AND e.user_id = :user_id
              AND {_STATE} IN ('NOT_STARTED', 'IN_PROGRESS')
              AND jsonb_array_length(c.regulation -> 'required_profile_fields') > 0
        ORDER BY c.title, e.id LIMIT 100
        """,  # noqa: S608
        user_id=user_id,
    )
