"""The SQL of reminders, their schedules and their deliveries."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.training.reminders.rules import Channel, Kind
from trilha.training.reminders.schema import Reminder

# Whether somebody must still do this training: not done, not cancelled, not replaced by a newer enrollment.
IS_OPEN = """(
    e.status <> 'COMPLETED' AND e.cancelled_at IS NULL AND (e.current OR NOT EXISTS (
        SELECT FROM all_enrollments newer
        WHERE newer.tenant_id = :tenant AND newer.user_id = e.user_id AND newer.course_id = e.course_id
          AND newer.created_at > e.created_at AND newer.cancelled_at IS NULL)))"""


_FUTURE = timedelta(days=1)  # clocks of nodes may differ


async def announce(tx: Tx, enrollment_id: UUID) -> None:
    """Notes that the person knows of this enrollment, so that no reminder says so again."""
    await tx.execute(
        "UPDATE reminder_schedules SET announced = true "
        "WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id",
        enrollment_id=enrollment_id,
    )


class DueSchedule(Struct, frozen=True):
    """An enrollment about which something may have to be said now."""

    enrollment_id: UUID
    user_id: UUID
    announced: bool
    due_at: str | None
    created_at: str
    is_open: bool
    is_active: bool
    made: list[str]


async def take_due_schedules(tx: Tx, limit: int) -> list[DueSchedule]:
    """Returns due schedules, locked until the transaction ends; skips locked rows.

    Their enrollments and people are locked too, as the foreign keys of reminders would lock them later. A
    change to an enrollment locks it before its schedule, so waiting for it here would be a deadlock.
    """
    return await tx.list(
        DueSchedule,
        f"""
        SELECT e.enrollment_id, e.user_id, e.announced, COALESCE(e.due_at, e.expires_at) AS due_at,
               e.created_at, {IS_OPEN} AS is_open, e.is_active,
               ARRAY(SELECT r.kind FROM reminders r
                     WHERE r.tenant_id = :tenant AND r.enrollment_id = e.enrollment_id
                       AND r.user_id = e.user_id) AS made
        FROM (SELECT s.enrollment_id, s.user_id, s.announced, s.next_at, e.course_id, e.status,
                     e.current, e.cancelled_at, e.due_at, e.expires_at, e.created_at,
                     u.status = 'ACTIVE' AS is_active
              FROM reminder_schedules s
              JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = s.enrollment_id
              JOIN users u ON u.tenant_id = :tenant AND u.id = s.user_id
              WHERE s.tenant_id = :tenant AND s.next_at <= :now
              ORDER BY s.next_at LIMIT :limit
              FOR UPDATE OF s SKIP LOCKED FOR KEY SHARE OF e, u SKIP LOCKED) AS e
        ORDER BY e.next_at, e.enrollment_id
        """,  # noqa: S608
        limit=limit,
    )


async def set_schedules(
    tx: Tx, next_times: Mapping[UUID, datetime | None], announced: Collection[UUID]
) -> None:
    """Sets when to look at enrollments again; removes those with None. `announced` are those of which the
    person knows now.
    """
    await tx.execute(
        """
        UPDATE reminder_schedules AS s
        SET announced = s.announced OR s.enrollment_id = ANY(:announced), next_at = new.next_at
        FROM unnest(:ids::uuid[], :times::timestamptz[]) AS new (id, next_at)
        WHERE s.tenant_id = :tenant AND s.enrollment_id = new.id AND new.next_at IS NOT NULL
        """,
        ids=list(next_times),
        times=list(next_times.values()),
        announced=list(announced),
    )
    if ended := [id for id, moment in next_times.items() if moment is None]:
        await tx.execute(
            "DELETE FROM reminder_schedules WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids)",
            ids=ended,
        )


_SELECT = """
    SELECT r.id, r.user_id, r.enrollment_id, r.request_id, c.id AS course_id, r.kind,
           COALESCE(r.text, message.text) AS text, c.title AS course,
           COALESCE(e.due_at, e.expires_at) AS due_at, learner.name AS learner, message.question_id,
           r.created_at
    FROM {} r
    LEFT JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = r.enrollment_id
    LEFT JOIN enrollment_requests q ON q.tenant_id = :tenant AND q.id = r.request_id
    LEFT JOIN learner_question_messages message ON message.tenant_id = :tenant AND message.id = r.message_id
    JOIN courses c ON c.tenant_id = :tenant AND c.id = COALESCE(e.course_id, q.course_id)
    JOIN users learner ON learner.tenant_id = :tenant AND learner.id = COALESCE(e.user_id, q.user_id)
"""


async def insert(
    tx: Tx,
    reminders: Sequence[tuple[UUID, UUID, Kind]],
    text: str | None = None,
    message_id: UUID | None = None,
) -> list[Reminder]:
    """Inserts reminders by person, enrollment and kind, and returns the new ones. Each kind exists once,
    except those by hand and those of messages.
    """
    return await tx.list(
        Reminder,
        f"""
        WITH made AS (
            INSERT INTO reminders (tenant_id, user_id, enrollment_id, kind, text, message_id, created_at)
            SELECT :tenant, new.user_id, new.enrollment_id, new.kind, CAST(:text AS text),
                   CAST(:message_id AS uuid), CAST(:now AS timestamptz)
            FROM unnest(:users::uuid[], :enrollments::uuid[], :kinds::text[])
                 AS new (user_id, enrollment_id, kind)
            ON CONFLICT DO NOTHING RETURNING *)
        {_SELECT.format("made")}
        """,  # noqa: S608
        users=[user_id for user_id, _, _ in reminders],
        enrollments=[enrollment_id for _, enrollment_id, _ in reminders],
        kinds=[kind for _, _, kind in reminders],
        text=text,
        message_id=message_id,
    )


async def insert_of_requests(
    tx: Tx, reminders: Sequence[tuple[UUID, UUID, Kind]], text: str | None = None
) -> list[Reminder]:
    """Inserts reminders by person, request for enrollment and kind, like `insert`."""
    return await tx.list(
        Reminder,
        f"""
        WITH made AS (
            INSERT INTO reminders (tenant_id, user_id, request_id, kind, text, created_at)
            SELECT :tenant, new.user_id, new.request_id, new.kind, CAST(:text AS text),
                   CAST(:now AS timestamptz)
            FROM unnest(:users::uuid[], :requests::uuid[], :kinds::text[])
                 AS new (user_id, request_id, kind)
            ON CONFLICT DO NOTHING RETURNING *)
        {_SELECT.format("made")}
        """,  # noqa: S608
        users=[user_id for user_id, _, _ in reminders],
        requests=[request_id for _, request_id, _ in reminders],
        kinds=[kind for _, _, kind in reminders],
        text=text,
    )


async def delete_of_request(tx: Tx, request_id: UUID, kind: Kind) -> None:
    """Deletes the reminders of this kind about a request, with what was not delivered of them."""
    await tx.execute(
        "DELETE FROM reminders WHERE tenant_id = :tenant AND request_id = :id AND kind = :kind",
        id=request_id,
        kind=kind,
    )


async def delete(tx: Tx, reminders: Sequence[tuple[UUID, UUID, Kind]]) -> None:
    """Deletes reminders by person, enrollment and kind, with what was not delivered of them."""
    await tx.execute(
        """
        DELETE FROM reminders AS r
        USING unnest(:users::uuid[], :enrollments::uuid[], :kinds::text[])
            AS old (user_id, enrollment_id, kind)
        WHERE r.tenant_id = :tenant AND r.user_id = old.user_id AND r.enrollment_id = old.enrollment_id
          AND r.kind = old.kind
        """,
        users=[user_id for user_id, _, _ in reminders],
        enrollments=[enrollment_id for _, enrollment_id, _ in reminders],
        kinds=[kind for _, _, kind in reminders],
    )


async def list_reminders(tx: Tx, ids: Sequence[UUID]) -> list[Reminder]:
    """Returns these reminders, oldest first."""
    return await tx.list(
        Reminder,
        f"{_SELECT.format('reminders')} WHERE r.tenant_id = :tenant AND r.id = ANY(:ids) "
        "ORDER BY r.created_at, r.id",
        ids=ids,
    )


class PersonAddresses(Struct, frozen=True):
    """A person who may be told, and their addresses beside mail: the channels, and the ids in the same
    order.
    """

    user_id: UUID
    channels: list[Channel]
    address_ids: list[UUID]


async def list_addresses(tx: Tx, user_ids: Sequence[UUID]) -> list[PersonAddresses]:
    """Returns the active ones of these people."""
    return await tx.list(
        PersonAddresses,
        """
        SELECT u.id AS user_id,
               ARRAY(SELECT a.channel FROM reminder_addresses a
                     WHERE a.tenant_id = :tenant AND a.user_id = u.id ORDER BY a.id) AS channels,
               ARRAY(SELECT a.id FROM reminder_addresses a
                     WHERE a.tenant_id = :tenant AND a.user_id = u.id ORDER BY a.id) AS address_ids
        FROM users u WHERE u.tenant_id = :tenant AND u.id = ANY(:ids) AND u.status = 'ACTIVE'
        """,
        ids=user_ids,
    )


async def find_last_manual(tx: Tx, user_id: UUID, since: datetime) -> UUID | None:
    """Returns a reminder by hand that this person got since then."""
    id: UUID | None = await tx.value(
        """
        SELECT id FROM reminders
        WHERE tenant_id = :tenant AND user_id = :user_id AND kind = 'manual' AND created_at > :since LIMIT 1
        """,
        user_id=user_id,
        since=since,
    )
    return id


async def lock_people_to_remind(
    tx: Tx, user_ids: Sequence[UUID], since: datetime, until: datetime | None = None
) -> list[UUID]:
    """Locks people, in the order of their ids, and returns those who are active and got no reminder by hand
    since then, or until another time.
    """
    rows = await tx.rows(
        """
        SELECT id FROM users WHERE tenant_id = :tenant AND id = ANY(:ids) AND status = 'ACTIVE'
        ORDER BY id FOR NO KEY UPDATE
        """,
        ids=user_ids,
    )
    # Read after taking the locks, so that we see the previous holder's reminders.
    reminded = await tx.rows(
        """
        SELECT DISTINCT user_id FROM reminders
        WHERE tenant_id = :tenant AND user_id = ANY(:ids) AND kind = 'manual' AND created_at > :since
          AND created_at < CAST(:until AS timestamptz)
        """,
        ids=user_ids,
        since=since,
        until=until or tx.now + _FUTURE,
    )
    excluded = {row["user_id"] for row in reminded}
    return [row["id"] for row in rows if row["id"] not in excluded]


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes a person's addresses, and the texts that were written to them."""
    params: dict[str, Any] = {"user_id": user_id}
    await tx.execute(
        "DELETE FROM reminder_addresses WHERE tenant_id = :tenant AND user_id = :user_id", **params
    )
    await tx.execute(
        "UPDATE reminders SET text = NULL "
        "WHERE tenant_id = :tenant AND user_id = :user_id AND text IS NOT NULL",
        **params,
    )


async def postpone_schedules(tx: Tx, until: datetime) -> None:
    """Lets no enrollment be looked at before this time; all count as announced."""
    await tx.execute(
        "UPDATE reminder_schedules SET announced = true, next_at = :until WHERE tenant_id = :tenant",
        until=until,
    )
