"""The SQL of registrations in classes. The caller has locked the class."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.training.classes.lists import REGISTRATIONS
from trilha.training.classes.rules import RegistrationStatus
from trilha.training.classes.schema import ClassRegistration

_SELECT = (
    f"SELECT {REGISTRATIONS.select_columns} FROM class_registrations AS row WHERE row.tenant_id = :tenant"  # noqa: S608
)


class OpenRegistration(Struct, frozen=True):
    """A registration that changes."""

    id: UUID
    class_id: UUID
    user_id: UUID
    enrollment_id: UUID
    status: RegistrationStatus


_OPEN = "id, class_id, user_id, enrollment_id, status"


async def get(tx: Tx, class_id: UUID, registration_id: UUID) -> ClassRegistration:
    """Raises NotFound."""
    registration = await tx.find(
        ClassRegistration,
        f"{_SELECT} AND row.class_id = :class_id AND row.id = :id",
        class_id=class_id,
        id=registration_id,
    )
    if registration is None:
        raise NotFound("registration_not_found")
    return registration


async def list_registered(tx: Tx, class_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, OpenRegistration]:
    """Returns the registrations of these people that are not cancelled, by person."""
    rows = await tx.list(
        OpenRegistration,
        f"""
        SELECT {_OPEN} FROM class_registrations
        WHERE tenant_id = :tenant AND class_id = :class_id AND user_id = ANY(:user_ids)
          AND cancelled_at IS NULL
        """,  # noqa: S608
        class_id=class_id,
        user_ids=list(user_ids),
    )
    return {row.user_id: row for row in rows}


async def follow_enrollments(
    tx: Tx, class_id: UUID, user_ids: Sequence[UUID], course_id: UUID, *, before: Timestamp
) -> None:
    """Gives places to the open enrollments of these people, if they were enrolled anew before this moment,
    after their place was given.
    """
    await tx.execute(
        """
        UPDATE class_registrations place SET enrollment_id = e.id, updated_at = :now
        FROM enrollments e
        WHERE place.tenant_id = :tenant AND place.class_id = :class_id AND place.user_id = ANY(:user_ids)
          AND place.cancelled_at IS NULL AND place.enrollment_id <> e.id
          AND e.tenant_id = :tenant AND e.user_id = place.user_id AND e.course_id = :course_id
          AND e.status IN ('NOT_STARTED', 'IN_PROGRESS') AND e.created_at < :before
        """,
        class_id=class_id,
        user_ids=list(user_ids),
        course_id=course_id,
        before=before,
    )


class NewPlace(Struct, frozen=True):
    """A person's new place in a class, or on its waiting list if there is a `ticket`."""

    user_id: UUID
    enrollment_id: UUID
    ticket: int | None

    @property
    def status(self) -> Literal["REGISTERED", "WAITLISTED"]:
        return "REGISTERED" if self.ticket is None else "WAITLISTED"


async def insert(tx: Tx, class_id: UUID, places: Sequence[NewPlace]) -> list[OpenRegistration]:
    """Inserts registrations, in the given order."""
    rows = await tx.list(
        OpenRegistration,
        f"""
        INSERT INTO class_registrations (tenant_id, class_id, user_id, enrollment_id, status, ticket,
                                         created_at, updated_at)
        SELECT :tenant, CAST(:class_id AS uuid), place.user_id, place.enrollment_id, place.status,
               place.ticket, CAST(:now AS timestamptz), CAST(:now AS timestamptz)
        FROM unnest(:users::uuid[], :enrollments::uuid[], :statuses::text[], :tickets::bigint[])
             AS place (user_id, enrollment_id, status, ticket)
        RETURNING {_OPEN}
        """,  # noqa: S608
        class_id=class_id,
        users=[each.user_id for each in places],
        enrollments=[each.enrollment_id for each in places],
        statuses=[each.status for each in places],
        tickets=[each.ticket for each in places],
    )
    by_user = {row.user_id: row for row in rows}
    return [by_user[each.user_id] for each in places]


async def count_places(tx: Tx, class_id: UUID, registered: int, waitlisted: int, tickets: int = 0) -> None:
    """Adds to the numbers of people of a class. `tickets` is how many people were put on the waiting list."""
    await tx.execute(
        """
        UPDATE classes SET registered = registered + CAST(:registered AS integer),
                           waitlisted = waitlisted + CAST(:waitlisted AS integer),
                           last_ticket = last_ticket + CAST(:tickets AS integer), updated_at = :now
        WHERE tenant_id = :tenant AND id = :class_id
        """,
        class_id=class_id,
        registered=registered,
        waitlisted=waitlisted,
        tickets=tickets,
    )


async def cancel(tx: Tx, registration_ids: Sequence[UUID], reason: str | None) -> None:
    await tx.execute(
        """
        UPDATE class_registrations
        SET status = 'CANCELLED', cancelled_at = :now, cancel_reason = :reason, updated_at = :now
        WHERE tenant_id = :tenant AND id = ANY(:ids) AND cancelled_at IS NULL
        """,
        ids=list(registration_ids),
        reason=reason,
    )


async def move_up(tx: Tx, class_id: UUID, places: int) -> list[OpenRegistration]:
    """Gives places to the first people on the waiting list. Returns them in its order."""
    rows = await tx.rows(
        f"""
        UPDATE class_registrations SET status = 'REGISTERED', updated_at = :now
        WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM class_registrations
            WHERE tenant_id = :tenant AND class_id = :class_id AND status = 'WAITLISTED'
            ORDER BY ticket LIMIT :places)
        RETURNING {_OPEN}, ticket
        """,  # noqa: S608
        class_id=class_id,
        places=places,
    )
    ordered = sorted(rows, key=lambda row: int(row["ticket"]))
    return [OpenRegistration(*list(row.values())[:5]) for row in ordered]


async def list_open_of_user(tx: Tx, user_id: UUID) -> list[OpenRegistration]:
    """Lists a person's registrations that are not cancelled."""
    return await tx.list(
        OpenRegistration,
        f"""
        SELECT {_OPEN} FROM class_registrations
        WHERE tenant_id = :tenant AND user_id = :user_id AND cancelled_at IS NULL ORDER BY class_id
        """,  # noqa: S608
        user_id=user_id,
    )


async def list_of_cancelled(tx: Tx, enrollment_ids: Sequence[UUID]) -> list[OpenRegistration]:
    """Lists the registrations of cancelled enrollments that still hold a place."""
    return await tx.list(
        OpenRegistration,
        """
        SELECT r.id, r.class_id, r.user_id, r.enrollment_id, r.status FROM class_registrations r
        JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = r.enrollment_id
        WHERE r.tenant_id = :tenant AND r.enrollment_id = ANY(:ids) AND r.cancelled_at IS NULL
          AND e.cancelled_at IS NOT NULL
        ORDER BY r.class_id, r.id
        """,
        ids=list(enrollment_ids),
    )
