"""The SQL of requests for a new due date."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import Condition, List, Walk
from trilha.core.types import Timestamp
from trilha.people.users.lists import in_reach
from trilha.training.enrollments.lists import DUE

State = Literal["WAITING", "REFUSED"]


class ListedRequest(Struct, frozen=True):
    """A request that waits for an answer."""

    id: UUID  # of the enrollment
    user_id: UUID
    user_name: str
    course_title: str
    message: str | None
    expired_at: Timestamp | None
    created_at: Timestamp


_OF_ENROLLMENT = """(
    SELECT {} FROM all_enrollments AS e {} WHERE e.tenant_id = :tenant AND e.id = row.enrollment_id)"""
_IS_EXPIRED = f"e.cancelled_at IS NULL AND (e.status = 'EXPIRED' OR {DUE.format('e.')})"
WAITING = List(
    name="extension-requests",
    table="extension_requests",
    kind=ListedRequest,
    id="enrollment_id",
    columns={
        "id": "row.enrollment_id",
        "user_name": "(SELECT name FROM users WHERE tenant_id = :tenant AND id = row.user_id)",
        "course_title": _OF_ENROLLMENT.format(
            "c.title", "JOIN courses AS c ON c.tenant_id = :tenant AND c.id = e.course_id"
        ),
        "expired_at": _OF_ENROLLMENT.format("e.expires_at", ""),
    },
    default_walk=Walk(keys=("created_at",)),
    always=(
        Condition(where="row.granted IS NULL", leads=("created_at",)),
        # Not cancelled, nor reopened in another way.
        Condition(where=_OF_ENROLLMENT.format(_IS_EXPIRED, "")),
    ),
    reach=lambda reach: in_reach(reach, "user_id"),
)


async def find_state(tx: Tx, enrollment_id: UUID) -> State | None:
    """Returns whether a request waits or was refused, or None if there is none."""
    rows = await tx.rows(
        "SELECT granted FROM extension_requests WHERE tenant_id = :tenant AND enrollment_id = :id",
        id=enrollment_id,
    )
    if not rows or rows[0]["granted"]:
        return None
    return "WAITING" if rows[0]["granted"] is None else "REFUSED"


async def insert(tx: Tx, user_id: UUID, enrollment_id: UUID, message: str | None) -> bool:
    """Inserts a request, or asks again after an answer. Returns False if a request waits already."""
    return bool(
        await tx.execute(
            """
            INSERT INTO extension_requests AS r (tenant_id, enrollment_id, user_id, message, created_at)
            VALUES (:tenant, :enrollment_id, :user_id, :message, :now)
            ON CONFLICT (tenant_id, enrollment_id) DO UPDATE
            SET message = excluded.message, created_at = excluded.created_at, granted = NULL,
                answered_at = NULL
            WHERE r.granted IS NOT NULL
            """,
            enrollment_id=enrollment_id,
            user_id=user_id,
            message=message,
        )
    )


async def answer(tx: Tx, enrollment_id: UUID, *, granted: bool) -> None:
    """Raises NotFound if no request waits."""
    answered = await tx.execute(
        """
        UPDATE extension_requests SET granted = :granted, answered_at = :now
        WHERE tenant_id = :tenant AND enrollment_id = :id AND granted IS NULL
        """,
        id=enrollment_id,
        granted=granted,
    )
    if not answered:
        raise NotFound("extension_request_not_found")


async def lock_if_expired(tx: Tx, enrollment_id: UUID) -> bool:
    """Locks the enrollment until the transaction ends, and returns whether it has expired."""
    return bool(
        await tx.value(
            f"SELECT {_IS_EXPIRED} FROM all_enrollments AS e "  # noqa: S608
            "WHERE e.tenant_id = :tenant AND e.id = :id FOR NO KEY UPDATE",
            id=enrollment_id,
        )
    )


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes what a person wrote."""
    await tx.execute(
        "DELETE FROM extension_requests WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
