"""The SQL of requests for enrollment."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.lists import get_row
from trilha.people.users.reach import Reach
from trilha.training.enrollment_requests.lists import REQUEST_ROWS
from trilha.training.enrollment_requests.schema import EnrollmentRequest, ListedRequest, RequestStatus

_COLUMNS = columns_of(EnrollmentRequest)
_SELECT = f"SELECT {_COLUMNS} FROM enrollment_requests WHERE tenant_id = :tenant"  # noqa: S608
_MAX_DECIDERS = 20
_MAX_HEIGHT = 100  # of a tree of units


async def get(tx: Tx, request_id: UUID) -> EnrollmentRequest:
    """Raises NotFound."""
    request = await tx.find(EnrollmentRequest, f"{_SELECT} AND id = :id", id=request_id)
    if request is None:
        raise NotFound("enrollment_request_not_found")
    return request


async def get_listed(tx: Tx, request_id: UUID, reach: Reach) -> ListedRequest:
    """Raises NotFound, also if the request is outside the reader's reach."""
    return await get_row(tx, REQUEST_ROWS, request_id, reach, missing="enrollment_request_not_found")


async def find_last(tx: Tx, user_id: UUID, course_id: UUID) -> EnrollmentRequest | None:
    """Returns a person's newest request for a course."""
    return await tx.find(
        EnrollmentRequest,
        f"{_SELECT} AND user_id = :user_id AND course_id = :course_id "
        "ORDER BY created_at DESC, status = 'WAITING' DESC, id LIMIT 1",
        user_id=user_id,
        course_id=course_id,
    )


async def lock_requests(tx: Tx, user_id: UUID) -> None:
    """Lets one transaction at a time add requests of a person, so that their limit holds."""
    await tx.rows(
        "SELECT pg_advisory_xact_lock(hashtextextended("
        "'enrollment_requests ' || :tenant::uuid::text || CAST(:user_id AS uuid)::text, 0))",
        user_id=user_id,
    )


async def find_nth_newest(tx: Tx, user_id: UUID, nth: int) -> str | None:
    """Returns when the person sent their nth newest request, or None if there are fewer."""
    sent = await tx.find(
        EnrollmentRequest,
        f"{_SELECT} AND user_id = :user_id ORDER BY created_at DESC, id DESC OFFSET :before LIMIT 1",
        user_id=user_id,
        before=nth - 1,
    )
    return sent.created_at if sent else None


async def insert(
    tx: Tx, user_id: UUID, course_id: UUID, message: str | None, enrollment_id: UUID | None = None
) -> EnrollmentRequest | None:
    """Inserts a request that waits, or an approved one with its enrollment. Returns None if one waits
    already.
    """
    status = RequestStatus.WAITING if enrollment_id is None else RequestStatus.APPROVED
    return await tx.find(
        EnrollmentRequest,
        f"""
        INSERT INTO enrollment_requests (tenant_id, user_id, course_id, status, message, enrollment_id,
                                         decided_at, created_at, updated_at)
        VALUES (:tenant, :user_id, :course_id, :status, :message, :enrollment_id, :decided_at, :now, :now)
        ON CONFLICT (tenant_id, user_id, course_id) WHERE status = 'WAITING' DO NOTHING
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        user_id=user_id,
        course_id=course_id,
        status=status,
        message=message,
        enrollment_id=enrollment_id,
        decided_at=None if enrollment_id is None else tx.now,
    )


async def decide(
    tx: Tx,
    request_id: UUID,
    status: RequestStatus,
    *,
    enrollment_id: UUID | None = None,
    decided_by: UUID | None = None,
    reason: str | None = None,
) -> EnrollmentRequest | None:
    """Returns None unless the request was waiting."""
    return await tx.find(
        EnrollmentRequest,
        f"""
        UPDATE enrollment_requests
        SET status = :status, enrollment_id = :enrollment_id, decided_by = :decided_by, reason = :reason,
            decided_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = :id AND status = 'WAITING'
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        id=request_id,
        status=status,
        enrollment_id=enrollment_id,
        decided_by=decided_by,
        reason=reason,
    )


async def cancel_waiting(tx: Tx, user_id: UUID, course_id: UUID) -> UUID | None:
    """Cancels a person's waiting request for a course, and returns its id; None if none waits."""
    request_id: UUID | None = await tx.value(
        """
        UPDATE enrollment_requests
        SET status = 'CANCELLED', decided_by = :user_id, decided_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND user_id = :user_id AND course_id = :course_id AND status = 'WAITING'
        RETURNING id
        """,
        user_id=user_id,
        course_id=course_id,
    )
    return request_id


async def list_deciders(tx: Tx, user_id: UUID) -> Sequence[UUID]:
    """Returns who decides about a person's requests: the active managers of the lowest unit above the person
    that has some, or else administrators.
    """
    managers = await tx.rows(
        """
        WITH RECURSIVE above AS (
            SELECT business_unit_id AS id, 0 AS height FROM users
            WHERE tenant_id = :tenant AND id = :user_id
            UNION ALL
            SELECT unit.parent_id, above.height + 1
            FROM business_units AS unit JOIN above ON unit.id = above.id
            WHERE unit.tenant_id = :tenant AND above.height < :max_height)
        SELECT manager.user_id, above.height FROM above
        JOIN business_unit_managers AS manager
          ON manager.tenant_id = :tenant AND manager.business_unit_id = above.id
        JOIN users AS person ON person.tenant_id = :tenant AND person.id = manager.user_id
        WHERE person.status = 'ACTIVE' AND person.id <> :user_id
        ORDER BY above.height, manager.user_id LIMIT :limit
        """,
        user_id=user_id,
        max_height=_MAX_HEIGHT,
        limit=_MAX_DECIDERS,
    )
    if managers:
        return [row["user_id"] for row in managers if row["height"] == managers[0]["height"]]
    administrators = await tx.rows(
        """
        SELECT id FROM users
        WHERE tenant_id = :tenant AND role = 'admin' AND status = 'ACTIVE' AND id <> :user_id
        ORDER BY created_at, id LIMIT :limit
        """,
        user_id=user_id,
        limit=_MAX_DECIDERS,
    )
    return [row["id"] for row in administrators]


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes what a person wrote, and what was written to them; a waiting request is canceled."""
    await tx.execute(
        """
        UPDATE enrollment_requests
        SET message = NULL, reason = NULL,
            status = CASE WHEN status = 'WAITING' THEN 'CANCELLED' ELSE status END,
            decided_at = COALESCE(decided_at, :now),
            updated_at = CASE WHEN status = 'WAITING' THEN :now ELSE updated_at END
        WHERE tenant_id = :tenant AND user_id = :user_id
          AND (status = 'WAITING' OR message IS NOT NULL OR reason IS NOT NULL)
        """,
        user_id=user_id,
    )
