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
from trilha.people.users import queries as users
from trilha.people.users.reach import Reach
from trilha.people.users.schema import Profile
from trilha.platform.events.catalogue import EnrollmentCreated
from trilha.platform.events.outbox import build_emit_cte
from trilha.training.courses import queries as courses
from trilha.training.courses.schema import CourseLanguage, Enrollable
from trilha.training.enrollments import counters
from trilha.training.enrollments.counters import CountedEnrollment
from trilha.training.enrollments.lists import DUE, ENROLLMENT_ROWS, RENEWABLE_FROM
from trilha.training.enrollments.schema import CreatedEnrollment, Enrollment, ListedEnrollment, NewEnrollment

_DUE = DUE.format("")
_SOON = timedelta(minutes=1)
_EXPIRE = "status = 'EXPIRED', current = NULL"
_STORED_COLUMNS = columns_of(Enrollment)
_CURRENT_COLUMNS = _STORED_COLUMNS.replace(
    " status,", f" CASE WHEN {_DUE} THEN 'EXPIRED' ELSE status END AS status,"
)
SELECT = f"SELECT {_CURRENT_COLUMNS} FROM enrollments WHERE tenant_id = :tenant"  # noqa: S608


async def get_listed(tx: Tx, enrollment_id: UUID, reach: Reach) -> ListedEnrollment:
    """Raises NotFound, also if the enrollment is outside the reader's reach."""
    return await get_row(tx, ENROLLMENT_ROWS, enrollment_id, reach, missing="enrollment_not_found")


async def get(tx: Tx, enrollment_id: UUID) -> Enrollment:
    """Raises NotFound."""
    select = f"{SELECT} AND id = :enrollment_id"
    enrollment = await tx.find(Enrollment, select, enrollment_id=enrollment_id)
    if enrollment is None:
        raise NotFound("enrollment_not_found")
    return enrollment


async def load_languages(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, CourseLanguage]:
    """Returns the languages that learners have chosen for a course, by enrollment."""
    rows = await tx.rows(
        """
        SELECT id, language FROM all_enrollments
        WHERE tenant_id = :tenant AND id = ANY(:ids) AND language IS NOT NULL
        """,
        ids=list(enrollment_ids),
    )
    return {row["id"]: row["language"] for row in rows}


async def find_current(tx: Tx, user_id: UUID, course_id: UUID) -> Enrollment | None:
    return await tx.find(
        Enrollment,
        f"{SELECT} AND user_id = :user_id AND course_id = :course_id AND current",
        user_id=user_id,
        course_id=course_id,
    )


async def lock_current(tx: Tx, user_ids: Sequence[UUID], course_id: UUID) -> dict[UUID, Enrollment]:
    """Returns the current enrollments of these people in a course, by person, and locks them: other
    transactions can cancel them only after this one has ended.
    """
    found = await tx.list(
        Enrollment,
        f"{SELECT} AND user_id = ANY(:user_ids) AND course_id = :course_id AND current ORDER BY id FOR SHARE",
        user_ids=list(user_ids),
        course_id=course_id,
    )
    return {each.user_id: each for each in found}


async def find_renewable_from(tx: Tx, enrollment_id: UUID) -> Timestamp | None:
    """Returns from when the person of a completed enrollment may be enrolled again; None means never."""
    renewable_from: Timestamp | None = await tx.value(
        f"""
        SELECT {RENEWABLE_FROM.format("e")} FROM enrollments e
        WHERE e.tenant_id = :tenant AND e.id = :enrollment_id
        """,  # noqa: S608
        enrollment_id=enrollment_id,
    )
    return renewable_from


async def find_user_and_course(
    tx: Tx, user_id: UUID, course_id: UUID
) -> tuple[Profile | None, Enrollable | None]:
    """Returns both in one round trip; None for one that does not exist."""
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
    # If the join found no row, every column is NULL.
    (profile,), (course,) = structs_of(Profile, rows, "profile"), structs_of(Enrollable, rows, "course")
    return profile if profile.id else None, course if course.id else None


async def insert(tx: Tx, new: NewEnrollment, event: EnrollmentCreated) -> Enrollment | None:
    """Inserts an enrollment with its event and the event's id. Returns None if the user already has a current
    enrollment in the course.
    """
    emitted, params = build_emit_cte(tx, event, "inserted")
    return await tx.find(
        Enrollment,
        f"""
        WITH inserted AS (
            INSERT INTO all_enrollments
                (tenant_id, id, user_id, course_id, expires_at, created_at, updated_at)
            SELECT CAST(:tenant AS uuid), CAST(:enrollment_id AS uuid), CAST(:user_id AS uuid),
                   CAST(:course_id AS uuid), CAST(:expires_at AS timestamptz), CAST(:now AS timestamptz), :now
            ON CONFLICT (tenant_id, user_id, course_id, current) DO NOTHING
            RETURNING {_STORED_COLUMNS}),
        {counters.COUNT_INSERTED}, {emitted}
        SELECT {_STORED_COLUMNS} FROM inserted
        """,  # noqa: S608
        enrollment_id=event.enrollment_id,
        user_id=new.user_id,
        course_id=new.course_id,
        expires_at=new.expires_at,
        **params,
    )


async def insert_many(tx: Tx, new: Sequence[NewEnrollment]) -> list[CreatedEnrollment]:
    """Inserts enrollments for users without a current enrollment in the course; returns the new ones."""
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
    """Returns the enrollment, locked until the transaction ends. Raises NotFound."""
    select = f"{SELECT} AND id = :enrollment_id FOR UPDATE"
    enrollment = await tx.find(Enrollment, select, enrollment_id=enrollment_id)
    if enrollment is None:
        raise NotFound("enrollment_not_found")
    return enrollment


_REOPEN = """
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
    """Sets the due date of a locked enrollment that is open or expired. An expired one becomes current again;
    returns None if the person has another current enrollment in the course.
    """
    try:
        async with tx.savepoint():
            updated = await change(tx, _REOPEN, _ALONE, enrollment_id=enrollment_id, expires_at=expires_at)
    except asyncpg.UniqueViolationError:  # another request enrolled a person meanwhile
        return None
    return updated[0] if updated else None


async def cancel(tx: Tx, enrollment_id: UUID) -> bool:
    """Cancels an enrollment and keeps its row and learning records. Returns False if it is completed or
    missing.
    """
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
    """Stores as expired the overdue enrollments of these users in these courses.

    Also locks enrollments that expire within a minute, in the order in which `insert_many` inserts: nobody
    else can then expire one of them before the transaction ends, which prevents deadlocks.
    """
    ending = """
        FROM enrollments
        WHERE tenant_id = :tenant AND course_id = ANY(:distinct_courses)
          AND status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at <= :soon"""
    params = {"distinct_courses": list({each.course_id for each in items}), "soon": tx.now + _SOON}
    # Usually nothing is, and finding this out does not need all items.
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
    return await change(tx, _EXPIRE, f"id = ANY(:ids) AND {_DUE}", ids=[row["id"] for row in rows])


async def release_lapsed_of(tx: Tx, items: Sequence[NewEnrollment]) -> set[tuple[UUID, UUID]]:
    """Makes room for new enrollments where these users' completions in these courses end soon or have ended.
    Returns the pairs of user and course; until the transaction ends, nobody else can enroll them there.
    """
    rows = await tx.rows(
        f"""
        UPDATE all_enrollments AS e SET current = NULL
        FROM (SELECT place.id FROM unnest(:users::uuid[], :courses::uuid[]) AS item (user_id, course_id)
              JOIN enrollments AS place ON place.tenant_id = :tenant AND place.user_id = item.user_id
               AND place.course_id = item.course_id AND place.current
              WHERE place.status = 'COMPLETED' AND {RENEWABLE_FROM.format("place")} <= :now
              ORDER BY place.user_id, place.course_id FOR UPDATE OF place) AS lapsed
        WHERE e.tenant_id = :tenant AND e.id = lapsed.id
        RETURNING e.user_id, e.course_id
        """,  # noqa: S608
        users=[each.user_id for each in items],
        courses=[each.course_id for each in items],
    )
    return {(row["user_id"], row["course_id"]) for row in rows}


async def expire_due(tx: Tx, limit: int) -> list[Enrollment]:
    """Stores overdue enrollments as expired, up to a limit; skips locked rows."""
    which = f"{_DUE} ORDER BY expires_at LIMIT :limit FOR UPDATE SKIP LOCKED"
    return await change(tx, _EXPIRE, which, limit=limit)


async def start(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """Returns None unless the enrollment was NOT_STARTED."""
    return await _update_one(
        tx, enrollment_id, "status = 'IN_PROGRESS', started_at = :now", "status = 'NOT_STARTED'"
    )


async def advance(tx: Tx, enrollment_id: UUID, progress: float, score: float | None) -> Enrollment | None:
    """Returns None unless the enrollment is IN_PROGRESS and has more progress or another score than
    before.
    """
    return await _update_one(
        tx,
        enrollment_id,
        "progress = GREATEST(e.progress, :progress), score = COALESCE(:score, e.score)",
        "status = 'IN_PROGRESS' AND (progress < :progress OR score IS DISTINCT FROM COALESCE(:score, score))",
        progress=progress,
        score=score,
    )


async def complete(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """Returns None unless the enrollment was IN_PROGRESS."""
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
    updated = await change(tx, changes, which, enrollment_id=enrollment_id, **params)
    return updated[0] if updated else None


async def change(tx: Tx, changes: str, which: str, **params: object) -> list[Enrollment]:
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
