"""The SQL of services and requests."""

from datetime import datetime, timedelta
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.training.meetings.schema import DueRequest, FailedRequest, Service, ServiceKind

_SERVICES = f"SELECT {columns_of(Service)} FROM meeting_services WHERE tenant_id = :tenant"  # noqa: S608


async def list_services(tx: Tx) -> list[Service]:
    return await tx.list(Service, f"{_SERVICES} ORDER BY kind")


async def find_service(tx: Tx, kind: ServiceKind) -> Service | None:
    return await tx.find(Service, f"{_SERVICES} AND kind = :kind", kind=kind)


async def find_sealed(tx: Tx, kind: ServiceKind) -> bytes | None:
    sealed: bytes | None = await tx.value(
        "SELECT credentials FROM meeting_services WHERE tenant_id = :tenant AND kind = :kind", kind=kind
    )
    return sealed


async def save_service(tx: Tx, kind: ServiceKind, organizer: str, sealed: bytes) -> None:
    await tx.execute(
        """
        INSERT INTO meeting_services (tenant_id, kind, credentials, organizer, created_at, updated_at)
        VALUES (:tenant, :kind, :sealed, :organizer, :now, :now)
        ON CONFLICT (tenant_id, kind) DO UPDATE
        SET credentials = excluded.credentials, organizer = excluded.organizer, error = NULL,
            checked_at = NULL, updated_at = excluded.updated_at
        """,
        kind=kind,
        organizer=organizer,
        sealed=sealed,
    )


async def delete_service(tx: Tx, kind: ServiceKind) -> bool:
    deleted = await tx.execute(
        "DELETE FROM meeting_services WHERE tenant_id = :tenant AND kind = :kind", kind=kind
    )
    return deleted > 0


async def note_result(tx: Tx, kind: ServiceKind, error: str | None) -> None:
    """Stores how the last request to a service ended."""
    await tx.execute(
        """
        UPDATE meeting_services SET error = :error, checked_at = :now
        WHERE tenant_id = :tenant AND kind = :kind
        """,
        kind=kind,
        error=error,
    )


async def save_request(tx: Tx, session_id: UUID, kind: ServiceKind) -> None:
    """Stores a request that is due now, in place of an earlier one for the session."""
    await tx.execute(
        """
        INSERT INTO meeting_requests (tenant_id, session_id, kind, next_attempt_at, created_at, updated_at)
        VALUES (:tenant, :session_id, :kind, :now, :now, :now)
        ON CONFLICT (tenant_id, session_id) DO UPDATE
        SET kind = excluded.kind, status = 'PENDING', attempts = 0, error = NULL,
            next_attempt_at = excluded.next_attempt_at, updated_at = excluded.updated_at
        """,
        session_id=session_id,
        kind=kind,
    )


async def claim(tx: Tx, limit: int, lease: timedelta) -> list[DueRequest]:
    """Claims due requests for the caller until the lease ends."""
    return await tx.list(
        DueRequest,
        """
        WITH due AS (
            SELECT session_id FROM meeting_requests
            WHERE tenant_id = :tenant AND status = 'PENDING' AND next_attempt_at <= :now
            ORDER BY next_attempt_at, session_id LIMIT :limit FOR UPDATE SKIP LOCKED)
        UPDATE meeting_requests AS m
        SET attempts = m.attempts + 1, next_attempt_at = :until, updated_at = :now
        FROM due WHERE m.tenant_id = :tenant AND m.session_id = due.session_id
        RETURNING m.session_id, m.kind, m.attempts
        """,
        limit=limit,
        until=tx.now + lease,
    )


async def end(tx: Tx, request: DueRequest, error: str | None, next_attempt_at: datetime | None) -> bool:
    """Records how an attempt ended. Returns False if another attempt or request has begun."""
    ended = await tx.execute(
        """
        UPDATE meeting_requests
        SET status = :status, error = :error, next_attempt_at = :next_attempt_at, updated_at = :now
        WHERE tenant_id = :tenant AND session_id = :session_id AND status = 'PENDING' AND kind = :kind
          AND attempts = :attempts
        """,
        session_id=request.session_id,
        kind=request.kind,
        attempts=request.attempts,
        status="PENDING" if next_attempt_at else "FAILED" if error else "DONE",
        error=error,
        next_attempt_at=next_attempt_at,
    )
    return ended > 0


async def list_pending(tx: Tx, class_id: UUID) -> dict[UUID, ServiceKind]:
    """Returns the services that are making links of a class, by session."""
    rows = await tx.rows(
        """
        SELECT m.session_id, m.kind FROM meeting_requests m
        JOIN class_sessions s ON s.tenant_id = :tenant AND s.id = m.session_id
        WHERE m.tenant_id = :tenant AND m.status = 'PENDING' AND s.class_id = :class_id
        """,
        class_id=class_id,
    )
    return {row["session_id"]: row["kind"] for row in rows}


async def list_failed(tx: Tx, limit: int) -> list[FailedRequest]:
    """Lists the requests that failed or are tried again, newest first."""
    return await tx.list(
        FailedRequest,
        """
        SELECT m.session_id, s.class_id, c.title, s.starts_at, m.kind, m.status, m.error, m.updated_at
        FROM meeting_requests m
        JOIN class_sessions s ON s.tenant_id = :tenant AND s.id = m.session_id
        JOIN classes c ON c.tenant_id = :tenant AND c.id = s.class_id
        WHERE m.tenant_id = :tenant AND m.status <> 'DONE' AND m.error IS NOT NULL
          AND s.cancelled_at IS NULL
        ORDER BY m.updated_at DESC, m.session_id LIMIT :limit
        """,
        limit=limit,
    )
