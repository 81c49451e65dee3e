"""The SQL of enrollments.

An enrollment past its `expires_at` reads as EXPIRED from that instant; the worker stores it a little later.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.web.pagination import Page, SyncQuery, fetch_page
from trilha.courses import queries as courses
from trilha.courses.schema import Enrollable
from trilha.enrollments import counters
from trilha.enrollments.counters import Standing
from trilha.enrollments.schema import Enrollment, EnrollmentQuery, NewEnrollment, Placed
from trilha.users import queries as users
from trilha.users.schema import Profile

_OPEN = "status IN ('NOT_STARTED', 'IN_PROGRESS')"
_RUN_OUT = f"({_OPEN} AND expires_at <= :now)"
_STATUS = f"CASE WHEN {_RUN_OUT} THEN 'EXPIRED' ELSE status END AS status"
_COLUMNS = ", ".join(Enrollment.__struct_fields__)
_SHOWN = _COLUMNS.replace(" status,", f" {_STATUS},")
_EXPIRE = "status = 'EXPIRED', current = NULL"
_ONE = f"SELECT {_SHOWN} FROM enrollments WHERE tenant_id = :tenant"  # noqa: S608


async def list_page(tx: Tx, query: EnrollmentQuery) -> Page[Enrollment]:
    where, params = [], dict[str, Any]()
    for name in ("user_id", "course_id"):
        if (value := getattr(query, name)) is not None:
            where.append(f"{name} = :{name}")
            params[name] = value
    if query.status == "expired":
        where.append(f"(status = 'EXPIRED' OR {_RUN_OUT})")
    elif query.status:
        where += ["status = :status", f"NOT COALESCE({_RUN_OUT}, false)"]
        params["status"] = query.status.upper()
    return await fetch_page(tx, Enrollment, _ONE, query, route="enrollments", where=where, **params)


async def list_of_user(tx: Tx, user_id: UUID, query: SyncQuery) -> Page[Enrollment]:
    return await fetch_page(
        tx,
        Enrollment,
        f"{_ONE} AND user_id = :user_id",
        query,
        route=f"users/{user_id}/enrollments",
        user_id=user_id,
    )


async def find(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    return await tx.find(Enrollment, f"{_ONE} AND id = :enrollment_id", enrollment_id=enrollment_id)


async def find_current(tx: Tx, user_id: UUID, course_id: UUID) -> Enrollment | None:
    return await tx.find(
        Enrollment,
        f"{_ONE} AND user_id = :user_id AND course_id = :course_id AND current",
        user_id=user_id,
        course_id=course_id,
    )


async def find_parties(tx: Tx, user_id: UUID, course_id: UUID) -> tuple[Profile | None, Enrollable | None]:
    """Who is to be enrolled, and in what: None for what there is not."""
    (row,) = await tx.rows(
        f"""
        SELECT person.*, course.* FROM (SELECT) AS always
        LEFT JOIN ({users.PROFILE} AND id = :user_id) AS person ON true
        LEFT JOIN ({courses.ENROLLABLE} AND id = :course_id) AS course ON true
        """,  # noqa: S608
        user_id=user_id,
        course_id=course_id,
    )
    width = len(Profile.__struct_fields__)
    person, course = row[:width], row[width:]
    return Profile(*person) if person[0] else None, Enrollable(*course) if course[0] else None


async def insert(tx: Tx, new: NewEnrollment) -> Enrollment | None:
    """None when this user already has a current place in this course."""
    enrollment = await tx.find(
        Enrollment,
        f"""
        INSERT INTO enrollments (tenant_id, user_id, course_id, expires_at, created_at, updated_at)
        VALUES (:tenant, :user_id, :course_id, :expires_at, :now, :now)
        ON CONFLICT (tenant_id, user_id, course_id, current) DO NOTHING
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        user_id=new.user_id,
        course_id=new.course_id,
        expires_at=new.expires_at,
    )
    if enrollment is not None:
        await counters.add_new(tx, [enrollment.course_id])
    return enrollment


async def insert_many(tx: Tx, new: Sequence[NewEnrollment]) -> list[Placed]:
    """Those that were no duplicates of a current place."""
    # In one order everywhere: two batches that meet wait for each other instead of deadlocking.
    ordered = sorted(new, key=lambda each: (each.user_id.int, each.course_id.int))
    placed = await tx.list(
        Placed,
        """
        INSERT INTO enrollments (tenant_id, user_id, course_id, expires_at, created_at, updated_at)
        SELECT :tenant, t.*, :now, :now
        FROM unnest(:users::uuid[], :courses::uuid[], :expiries::timestamptz[]) AS t
        ON CONFLICT (tenant_id, user_id, course_id, current) DO NOTHING
        RETURNING id, user_id, course_id, expires_at
        """,
        users=[each.user_id for each in ordered],
        courses=[each.course_id for each in ordered],
        expiries=[each.expires_at for each in ordered],
    )
    await counters.add_new(tx, [each.course_id for each in placed])
    return placed


async def expire_run_out(tx: Tx, user_ids: Sequence[UUID], course_ids: Sequence[UUID]) -> list[Enrollment]:
    """Stores as expired what has run out of these users' places in these courses."""
    return await _move(
        tx,
        _EXPIRE,
        f"user_id = ANY(:users) AND course_id = ANY(:courses) AND current AND {_RUN_OUT} FOR UPDATE",
        users=user_ids,
        courses=course_ids,
    )


async def expire_due(tx: Tx, most: int) -> list[Enrollment]:
    """Stores as expired what has run out in the tenant, at most so many; skips what others hold."""
    which = f"{_RUN_OUT} ORDER BY expires_at LIMIT :most FOR UPDATE SKIP LOCKED"
    return await _move(tx, _EXPIRE, which, most=most)


async def start(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """None unless it was waiting to be started."""
    return await _move_one(
        tx, enrollment_id, "status = 'IN_PROGRESS', started_at = :now", "status = 'NOT_STARTED'"
    )


async def advance(tx: Tx, enrollment_id: UUID, progress: float, score: float | None) -> Enrollment | None:
    """None unless it is under way and this is further than before. Progress never goes down."""
    return await _move_one(
        tx,
        enrollment_id,
        "progress = :progress, score = COALESCE(:score, e.score)",
        "status = 'IN_PROGRESS' AND progress < :progress",
        progress=progress,
        score=score,
    )


async def complete(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """None unless it was under way."""
    return await _move_one(
        tx,
        enrollment_id,
        "status = 'COMPLETED', progress = 100, completed_at = :now",
        "status = 'IN_PROGRESS'",
    )


async def _move_one(
    tx: Tx, enrollment_id: UUID, changes: str, when: str, **params: object
) -> Enrollment | None:
    which = f"id = :enrollment_id AND {when} AND (expires_at IS NULL OR expires_at > :now) FOR UPDATE"
    moved = await _move(tx, changes, which, enrollment_id=enrollment_id, **params)
    return moved[0] if moved else None


async def _move(tx: Tx, changes: str, which: str, **params: object) -> list[Enrollment]:
    """Changes the enrollments that `which` locks, and with them the tallies of their courses."""
    rows = await tx.rows(
        f"""
        UPDATE enrollments AS e SET {changes}, updated_at = :now
        FROM (SELECT id, status, progress, score FROM enrollments
              WHERE tenant_id = :tenant AND {which}) AS was
        WHERE e.tenant_id = :tenant AND e.id = was.id
        RETURNING {", ".join(f"e.{name}" for name in Enrollment.__struct_fields__)},
                  e.course_id, was.status, was.progress, was.score
        """,  # noqa: S608
        **params,
    )
    width = len(Enrollment.__struct_fields__)
    moved = [Enrollment(*row[:width]) for row in rows]
    before = [Standing(*row[width:]) for row in rows]
    after = [Standing(each.course_id, each.status, each.progress, each.score) for each in moved]
    await counters.move(tx, zip(before, after, strict=True))
    return moved
