"""The SQL of enrollments.

An enrollment past its `expires_at` reads as EXPIRED from that instant; the worker stores it a little later.
"""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import asyncpg

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.errors import NotFound
from trilha.core.ids import random_ids
from trilha.core.lists import get_row
from trilha.core.types import Timestamp
from trilha.courses import queries as courses
from trilha.courses.schema import Enrollable
from trilha.enrollments import counters
from trilha.enrollments.counters import CountedEnrollment
from trilha.enrollments.lists import DUE, LISTED
from trilha.enrollments.schema import CreatedEnrollment, Enrollment, ListedEnrollment, NewEnrollment
from trilha.events.catalogue import EnrollmentCreated
from trilha.events.outbox import emitted_by
from trilha.users import queries as users
from trilha.users.reach import Reach
from trilha.users.schema import Profile

_DUE = DUE.format("")
_SOON = timedelta(minutes=1)
_EXPIRE = "status = 'EXPIRED', current = NULL"
_STORED = columns_of(Enrollment)
_READ = _STORED.replace(" status,", f" CASE WHEN {_DUE} THEN 'EXPIRED' ELSE status END AS status,")
SELECT = f"SELECT {_READ} FROM enrollments WHERE tenant_id = :tenant"  # noqa: S608


async def get_listed(tx: Tx, enrollment_id: UUID, reach: Reach) -> ListedEnrollment:
    """Raises NotFound, also for what is out of reach."""
    return await get_row(tx, LISTED, enrollment_id, reach, missing="enrollment_not_found")


async def get(tx: Tx, enrollment_id: UUID) -> Enrollment:
    """Raises NotFound."""
    select = f"{SELECT} AND id = :enrollment_id"
    enrollment = await tx.find(Enrollment, select, enrollment_id=enrollment_id)
    if enrollment is None:
        raise NotFound("enrollment_not_found")
    return enrollment


async def find_current(tx: Tx, user_id: UUID, course_id: UUID) -> Enrollment | None:
    return await tx.find(
        Enrollment,
        f"{SELECT} AND user_id = :user_id AND course_id = :course_id AND current",
        user_id=user_id,
        course_id=course_id,
    )


async def find_user_and_course(
    tx: Tx, user_id: UUID, course_id: UUID
) -> tuple[Profile | None, Enrollable | None]:
    """Both in one round trip; None for one that does not exist."""
    rows = await tx.rows(
        f"""
        SELECT {columns_of(Profile, "profile")}, {columns_of(Enrollable, "course")}
        FROM (SELECT) AS one_row
        LEFT JOIN ({users.SELECT_PROFILE} AND id = :user_id) AS profile ON true
        LEFT JOIN ({courses.SELECT_ENROLLABLE} AND id = :course_id) AS course ON true
        """,  # noqa: S608
        user_id=user_id,
        course_id=course_id,
    )
    # Of a row that the join did not find, every column is NULL.
    (profile,), (course,) = structs_of(Profile, rows, "profile"), structs_of(Enrollable, rows, "course")
    return profile if profile.id else None, course if course.id else None


async def insert(tx: Tx, new: NewEnrollment, event: EnrollmentCreated) -> Enrollment | None:
    """With the event and its id. None when this user has a current enrollment in this course already."""
    emitted, params = emitted_by(tx, event, "inserted")
    return await tx.find(
        Enrollment,
        f"""
        WITH inserted AS (
            INSERT INTO all_enrollments
                (tenant_id, id, user_id, course_id, expires_at, created_at, updated_at)
            SELECT CAST(:tenant AS uuid), CAST(:enrollment_id AS uuid), CAST(:user_id AS uuid),
                   CAST(:course_id AS uuid), CAST(:expires_at AS timestamptz), CAST(:now AS timestamptz), :now
            ON CONFLICT (tenant_id, user_id, course_id, current) DO NOTHING
            RETURNING {_STORED}),
        {counters.COUNT_INSERTED}, {emitted}
        SELECT {_STORED} FROM inserted
        """,  # noqa: S608
        enrollment_id=event.enrollment_id,
        user_id=new.user_id,
        course_id=new.course_id,
        expires_at=new.expires_at,
        **params,
    )


async def insert_many(tx: Tx, new: Sequence[NewEnrollment]) -> list[CreatedEnrollment]:
    """Those whose user had no current enrollment in the course."""
    # One order for every transaction, so that two with the same pairs cannot deadlock.
    ordered = sorted(new, key=lambda each: (each.user_id.int, each.course_id.int))
    created = await tx.list(
        CreatedEnrollment,
        """
        INSERT INTO all_enrollments (tenant_id, id, user_id, course_id, expires_at, created_at, updated_at)
        SELECT :tenant, new.*, :now, :now
        -- Ids in ascending order: each row's place in the indexes by time is right behind the one before,
        -- which saves a sixth of the statement.
        FROM unnest(:ids::uuid[], :users::uuid[], :courses::uuid[], :expiries::timestamptz[]) AS new
        ON CONFLICT (tenant_id, user_id, course_id, current) DO NOTHING
        RETURNING id, user_id, course_id, expires_at
        """,
        ids=random_ids(len(ordered)),
        users=[each.user_id for each in ordered],
        courses=[each.course_id for each in ordered],
        expiries=[each.expires_at for each in ordered],
    )
    await counters.add_new(tx, [each.course_id for each in created])
    return created


async def get_for_update(tx: Tx, enrollment_id: UUID) -> Enrollment:
    """The enrollment, locked until the transaction ends. Raises NotFound."""
    select = f"{SELECT} AND id = :enrollment_id FOR UPDATE"
    enrollment = await tx.find(Enrollment, select, enrollment_id=enrollment_id)
    if enrollment is None:
        raise NotFound("enrollment_not_found")
    return enrollment


_REOPENED = """
    expires_at = :expires_at, current = true,
    status = CASE WHEN e.status <> 'EXPIRED' THEN e.status
                  WHEN e.started_at IS NULL THEN 'NOT_STARTED' ELSE 'IN_PROGRESS' END
    """
_ALONE = """
    id = :enrollment_id AND status <> 'COMPLETED' AND NOT EXISTS (
        SELECT FROM enrollments AS other
        WHERE other.tenant_id = :tenant AND other.user_id = enrollments.user_id
          AND other.course_id = enrollments.course_id AND other.current AND other.id <> enrollments.id)
    FOR UPDATE
    """


async def set_expiry(tx: Tx, enrollment_id: UUID, expires_at: Timestamp | None) -> Enrollment | None:
    """Of one that is locked and open, or that has expired: this one takes part again, where no other of the
    same person in the same course does; None where one does."""
    try:
        async with tx.savepoint():
            updated = await _update(tx, _REOPENED, _ALONE, enrollment_id=enrollment_id, expires_at=expires_at)
    except asyncpg.UniqueViolationError:  # somebody was enrolled meanwhile
        return None
    return updated[0] if updated else None


async def cancel(tx: Tx, enrollment_id: UUID) -> bool:
    """Its row stays, with what was learnt. False for one that is completed, and where there is none."""
    rows = await tx.rows(
        f"""
        UPDATE all_enrollments AS e SET cancelled_at = :now, current = NULL, updated_at = :now
        FROM (SELECT id, course_id, status, progress, score, expires_at FROM enrollments
              WHERE tenant_id = :tenant AND id = :enrollment_id AND status <> 'COMPLETED'
              FOR UPDATE) AS before
        WHERE e.tenant_id = :tenant AND e.id = before.id
        RETURNING {columns_of(CountedEnrollment, "before")}
        """,  # noqa: S608
        enrollment_id=enrollment_id,
    )
    await counters.remove(tx, structs_of(CountedEnrollment, rows, "before"))
    return bool(rows)


async def expire_due_of(tx: Tx, items: Sequence[NewEnrollment]) -> list[Enrollment]:
    """Stores as expired those of these users in these courses that are past their expiry.

    Locks those that expire within a minute, too, in the order in which `insert_many` inserts: nobody else can
    end one of these places until the transaction ends, and so no two of them wait for each other.
    """
    ending = """
        FROM enrollments
        WHERE tenant_id = :tenant AND course_id = ANY(:distinct_courses)
          AND status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at <= :soon"""
    params = {"distinct_courses": list({each.course_id for each in items}), "soon": tx.now + _SOON}
    # Mostly nothing is: that is known without sending all items.
    if not await tx.value(f"SELECT EXISTS (SELECT {ending})", **params):
        return []
    rows = await tx.rows(
        f"""
        SELECT id {ending} AND (user_id, course_id) IN (
              SELECT item.* FROM unnest(:users::uuid[], :courses::uuid[]) AS item)
        ORDER BY user_id, course_id FOR UPDATE
        """,  # noqa: S608
        users=[each.user_id for each in items],
        courses=[each.course_id for each in items],
        **params,
    )
    return await _update(tx, _EXPIRE, f"id = ANY(:ids) AND {_DUE}", ids=[row["id"] for row in rows])


async def release_lapsed_of(tx: Tx, items: Sequence[NewEnrollment]) -> set[tuple[UUID, UUID]]:
    """What these users have completed in these courses, and is not valid any more, makes room. Returns the
    users and courses: until the transaction ends, nobody else can enroll one of them there."""
    rows = await tx.rows(
        """
        UPDATE all_enrollments AS e SET current = NULL
        FROM (SELECT place.id FROM unnest(:users::uuid[], :courses::uuid[]) AS item (user_id, course_id)
              JOIN enrollments AS place ON place.tenant_id = :tenant AND place.user_id = item.user_id
               AND place.course_id = item.course_id AND place.current
              WHERE place.status = 'COMPLETED' AND place.valid_until <= :now
              ORDER BY place.user_id, place.course_id FOR UPDATE OF place) AS lapsed
        WHERE e.tenant_id = :tenant AND e.id = lapsed.id
        RETURNING e.user_id, e.course_id
        """,
        users=[each.user_id for each in items],
        courses=[each.course_id for each in items],
    )
    return {(row["user_id"], row["course_id"]) for row in rows}


async def expire_due(tx: Tx, most: int) -> list[Enrollment]:
    """Stores as expired at most so many that are past their expiry; skips rows that are locked."""
    which = f"{_DUE} ORDER BY expires_at LIMIT :most FOR UPDATE SKIP LOCKED"
    return await _update(tx, _EXPIRE, which, most=most)


async def start(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """None unless it was NOT_STARTED."""
    return await _update_one(
        tx, enrollment_id, "status = 'IN_PROGRESS', started_at = :now", "status = 'NOT_STARTED'"
    )


async def advance(tx: Tx, enrollment_id: UUID, progress: float, score: float | None) -> Enrollment | None:
    """None unless it is IN_PROGRESS and this is more progress than before, or another score."""
    return await _update_one(
        tx,
        enrollment_id,
        "progress = GREATEST(e.progress, :progress), score = COALESCE(:score, e.score)",
        "status = 'IN_PROGRESS' AND (progress < :progress OR score IS DISTINCT FROM COALESCE(:score, score))",
        progress=progress,
        score=score,
    )


async def complete(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """None unless it was IN_PROGRESS."""
    return await _update_one(
        tx,
        enrollment_id,
        "status = 'COMPLETED', progress = 100, completed_at = :now",
        "status = 'IN_PROGRESS'",
    )


async def _update_one(
    tx: Tx, enrollment_id: UUID, changes: str, when: str, **params: object
) -> Enrollment | None:
    which = f"id = :enrollment_id AND {when} AND (expires_at IS NULL OR expires_at > :now) FOR UPDATE"
    updated = await _update(tx, changes, which, enrollment_id=enrollment_id, **params)
    return updated[0] if updated else None


async def _update(tx: Tx, changes: str, which: str, **params: object) -> list[Enrollment]:
    """Changes the enrollments that `which` selects and locks, and the counters of their courses."""
    rows = await tx.rows(
        f"""
        UPDATE all_enrollments AS e SET {changes}, updated_at = :now
        FROM (SELECT id, course_id, status, progress, score, expires_at FROM enrollments
              WHERE tenant_id = :tenant AND {which}) AS before
        WHERE e.tenant_id = :tenant AND e.id = before.id
        RETURNING {columns_of(Enrollment, "e")}, {columns_of(CountedEnrollment, "before")}
        """,  # noqa: S608
        **params,
    )
    before, after = structs_of(CountedEnrollment, rows, "before"), structs_of(Enrollment, rows, "e")
    await counters.replace(tx, zip(before, after, strict=True))
    return after
