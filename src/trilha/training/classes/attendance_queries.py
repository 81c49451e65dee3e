"""The SQL of attendance, and of the checks that judge presence."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from msgspec import Struct

from trilha.core.database import Tx
from trilha.training.classes.rules import Method
from trilha.training.classes.schema import Attendance


class Change(Struct, frozen=True):
    """A person's new minutes in a session. `before` are those that it corrects."""

    user_id: UUID
    enrollment_id: UUID
    minutes: int
    before: Attendance | None
    reason: str | None


async def list_recorded(tx: Tx, session_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, Attendance]:
    """Returns the recorded attendance of these people, by person."""
    rows = await tx.list(
        Attendance,
        """
        SELECT user_id, minutes, method, recorded_at FROM class_attendance
        WHERE tenant_id = :tenant AND session_id = :session_id AND user_id = ANY(:user_ids)
        """,
        session_id=session_id,
        user_ids=list(user_ids),
    )
    return {row.user_id: row for row in rows}


async def store(tx: Tx, session_id: UUID, changes: Sequence[Change], method: Method) -> None:
    """Stores minutes in place of earlier ones, and what they were before."""
    await tx.execute(
        """
        INSERT INTO class_attendance AS a (tenant_id, session_id, user_id, minutes, method, recorded_at,
                                           actor_kind, actor)
        SELECT :tenant, CAST(:session_id AS uuid), change.user_id, change.minutes, CAST(:method AS text),
               CAST(:now AS timestamptz), CAST(:actor_kind AS text), CAST(:actor AS text)
        FROM unnest(:users::uuid[], :minutes::int[]) AS change (user_id, minutes)
        ON CONFLICT (tenant_id, session_id, user_id) DO UPDATE
        SET minutes = excluded.minutes, method = excluded.method, recorded_at = excluded.recorded_at,
            actor_kind = excluded.actor_kind, actor = excluded.actor
        RETURNING tenant_id
        """,
        session_id=session_id,
        method=method,
        users=[each.user_id for each in changes],
        minutes=[each.minutes for each in changes],
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
    )
    if corrections := [(each, each.before) for each in changes if each.before is not None]:
        await tx.execute(
            """
            INSERT INTO attendance_corrections (tenant_id, id, session_id, user_id, minutes_before,
                                                method_before, minutes, reason, actor_kind, actor, created_at)
            SELECT :tenant, change.id, CAST(:session_id AS uuid), change.user_id, change.minutes_before,
                   change.method_before, change.minutes, change.reason, CAST(:actor_kind AS text),
                   CAST(:actor AS text), CAST(:now AS timestamptz)
            FROM unnest(:ids::uuid[], :users::uuid[], :befores::int[], :methods::text[], :minutes::int[],
                        :reasons::text[])
                 AS change (id, user_id, minutes_before, method_before, minutes, reason)
            RETURNING tenant_id
            """,
            session_id=session_id,
            ids=[uuid4() for _ in corrections],
            users=[each.user_id for each, _ in corrections],
            befores=[before.minutes for _, before in corrections],
            methods=[before.method for _, before in corrections],
            minutes=[each.minutes for each, _ in corrections],
            reasons=[each.reason for each, _ in corrections],
            actor_kind=tx.actor.kind,
            actor=tx.actor.name,
        )


async def request_checks(tx: Tx, enrollment_ids: Sequence[UUID]) -> None:
    """Lets the worker judge the presence of these enrollments. Call it last: see migration 330."""
    if enrollment_ids:
        await tx.execute(
            """
            INSERT INTO presence_checks (tenant_id, enrollment_id, token)
            SELECT :tenant, id, CAST(:token AS uuid) FROM unnest(:ids::uuid[]) AS id ORDER BY id
            ON CONFLICT (tenant_id, enrollment_id) DO UPDATE SET token = excluded.token
            RETURNING tenant_id
            """,
            ids=sorted(set(enrollment_ids)),
            token=uuid4(),
        )


async def request_checks_of_class(tx: Tx, class_id: UUID) -> None:
    """Lets the worker judge the presence of everybody in a class, if any attendance in it is recorded."""
    rows = await tx.rows(
        """
        SELECT enrollment_id FROM class_registrations
        WHERE tenant_id = :tenant AND class_id = :class_id AND status = 'REGISTERED' AND EXISTS (
            SELECT FROM class_attendance a
            JOIN class_sessions s ON s.tenant_id = :tenant AND s.id = a.session_id
            WHERE a.tenant_id = :tenant AND s.class_id = :class_id)
        """,
        class_id=class_id,
    )
    await request_checks(tx, [row["enrollment_id"] for row in rows])


async def request_checks_of_people(tx: Tx, class_id: UUID, user_ids: Sequence[UUID]) -> None:
    """Lets the worker judge the presence of people who got a place in a class in which their attendance was
    recorded before.
    """
    rows = await tx.rows(
        """
        SELECT r.enrollment_id FROM class_registrations r
        WHERE r.tenant_id = :tenant AND r.class_id = :class_id AND r.user_id = ANY(:user_ids)
          AND r.status = 'REGISTERED' AND EXISTS (
            SELECT FROM class_sessions s
            JOIN class_attendance a ON a.tenant_id = :tenant AND a.session_id = s.id AND a.user_id = r.user_id
            WHERE s.tenant_id = :tenant AND s.class_id = :class_id)
        """,
        class_id=class_id,
        user_ids=list(user_ids),
    )
    await request_checks(tx, [row["enrollment_id"] for row in rows])


class PresenceCheck(Struct, frozen=True):
    """An enrollment whose presence has changed. Another `token` stands for a later change."""

    enrollment_id: UUID
    token: UUID
    is_cancelled: bool


async def list_checks(tx: Tx, limit: int) -> list[PresenceCheck]:
    """Lists enrollments to judge, in the order in which several logs are locked."""
    return await tx.list(
        PresenceCheck,
        """
        SELECT c.enrollment_id, c.token, e.cancelled_at IS NOT NULL AS is_cancelled
        FROM (SELECT enrollment_id, token FROM presence_checks WHERE tenant_id = :tenant
              ORDER BY enrollment_id LIMIT :limit) AS c
        JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = c.enrollment_id
        ORDER BY e.created_at, e.id
        """,
        limit=limit,
    )


async def delete_checks(tx: Tx, checks: Sequence[PresenceCheck]) -> None:
    """Deletes checks, except those with a later change."""
    await tx.execute(
        """
        DELETE FROM presence_checks AS c USING unnest(:ids::uuid[], :tokens::uuid[]) AS done (id, token)
        WHERE c.tenant_id = :tenant AND c.enrollment_id = done.id AND c.token = done.token
        """,
        ids=[each.enrollment_id for each in checks],
        tokens=[each.token for each in checks],
    )
