"""The SQL of pipes."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import trilha.training.xapi_pipes.errors  # noqa: F401
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.training.xapi_pipes.schema import Backlog, Candidate, ClaimedPipe, Delivery, Pipe, SendResult

_COLUMNS = columns_of(Pipe)
_MAX_COUNT = 1000
# Of the contents that one batch loads.
_MAX_BYTES = 2 * 1024 * 1024


async def lock_creation(tx: Tx) -> None:
    """Makes other transactions that create a pipe wait."""
    await tx.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('xapi_pipes ' || :tenant::uuid::text, 0))"
    )


async def count(tx: Tx) -> int:
    total: int = await tx.value("SELECT count(*) FROM xapi_pipes WHERE tenant_id = :tenant")
    return total


async def list_all(tx: Tx) -> list[Pipe]:
    """Oldest first."""
    return await tx.list(
        Pipe,
        f"SELECT {_COLUMNS} FROM xapi_pipes WHERE tenant_id = :tenant ORDER BY created_at, id",  # noqa: S608
    )


async def get(tx: Tx, pipe_id: UUID) -> Pipe:
    """Raises NotFound."""
    pipe = await tx.find(
        Pipe,
        f"SELECT {_COLUMNS} FROM xapi_pipes WHERE tenant_id = :tenant AND id = :pipe_id",  # noqa: S608
        pipe_id=pipe_id,
    )
    if pipe is None:
        raise NotFound("pipe_not_found")
    return pipe


async def lock(tx: Tx, pipe_id: UUID) -> Pipe:
    """Raises NotFound."""
    pipe = await tx.find(
        Pipe,
        f"""
        SELECT {_COLUMNS} FROM xapi_pipes WHERE tenant_id = :tenant AND id = :pipe_id FOR UPDATE
        """,  # noqa: S608
        pipe_id=pipe_id,
    )
    if pipe is None:
        raise NotFound("pipe_not_found")
    return pipe


async def insert(tx: Tx, values: Mapping[str, Any], *, from_start: bool) -> Pipe:
    """Inserts a pipe that begins with the first statement, or with the next one."""
    inserted = await tx.find(
        Pipe,
        f"""
        INSERT INTO xapi_pipes (tenant_id, id, name, url, username, password, version, verbs,
                                activity_prefix, active, position, next_attempt_at, created_at, updated_at)
        VALUES (:tenant, :id, :name, :url, :username, :password, :version, :verbs, :activity_prefix, true,
                CASE WHEN :from_start THEN -1 ELSE COALESCE(
                    (SELECT last_stored FROM xapi_clocks WHERE tenant_id = :tenant), -1) END,
                :now, :now, :now)
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        from_start=from_start,
        **values,
    )
    assert inserted is not None
    return inserted


async def update(tx: Tx, pipe_id: UUID, values: Mapping[str, Any]) -> Pipe:
    """Changes a pipe, and lets it try at once."""
    sets = "".join(f"{name} = :{name}, " for name in values)
    updated = await tx.find(
        Pipe,
        f"""
        UPDATE xapi_pipes SET {sets} next_attempt_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = :pipe_id RETURNING {_COLUMNS}
        """,  # noqa: S608
        pipe_id=pipe_id,
        **values,
    )
    assert updated is not None
    return updated


async def delete(tx: Tx, pipe_id: UUID) -> None:
    await tx.execute("DELETE FROM xapi_pipes WHERE tenant_id = :tenant AND id = :pipe_id", pipe_id=pipe_id)


async def get_backlog(tx: Tx, pipe_id: UUID) -> Backlog:
    """Returns what is still to be forwarded, counted up to 1,000 statements."""
    backlog = await tx.find(
        Backlog,
        """
        SELECT count(*) AS count, min(stored) AS oldest FROM (
            SELECT stored FROM xapi_statements
            WHERE tenant_id = :tenant AND stored > (
                SELECT position FROM xapi_pipes WHERE tenant_id = :tenant AND id = :pipe_id)
            ORDER BY stored LIMIT :limit) AS waiting
        """,
        pipe_id=pipe_id,
        limit=_MAX_COUNT,
    )
    assert backlog is not None
    return backlog


async def claim(tx: Tx, lease: timedelta) -> list[UUID]:
    """Claims the pipes that are due until the lease ends, and returns their ids."""
    rows = await tx.rows(
        """
        WITH due AS (
            SELECT id FROM xapi_pipes
            WHERE tenant_id = :tenant AND active AND next_attempt_at <= :now AND position < (
                SELECT last_stored FROM xapi_clocks WHERE tenant_id = :tenant)
            ORDER BY next_attempt_at, id FOR UPDATE SKIP LOCKED)
        UPDATE xapi_pipes AS pipe SET next_attempt_at = :until FROM due
        WHERE pipe.tenant_id = :tenant AND pipe.id = due.id RETURNING pipe.id
        """,
        until=tx.now + lease,
    )
    return [row["id"] for row in rows]


async def renew(tx: Tx, pipe_id: UUID, lease: timedelta) -> ClaimedPipe | None:
    """Extends the claim and returns the pipe as it is now. Returns None if it is deleted or paused."""
    return await tx.find(
        ClaimedPipe,
        f"""
        UPDATE xapi_pipes SET next_attempt_at = :until
        WHERE tenant_id = :tenant AND id = :pipe_id AND active RETURNING {columns_of(ClaimedPipe)}
        """,  # noqa: S608
        pipe_id=pipe_id,
        until=tx.now + lease,
    )


async def find_clock(tx: Tx) -> int:
    """Returns a time up to which all statements are visible. Read it before the statements."""
    last: int | None = await tx.value("SELECT last_stored FROM xapi_clocks WHERE tenant_id = :tenant")
    return -1 if last is None else last


async def list_next(tx: Tx, position: int, limit: int) -> list[Candidate]:
    """Lists the statements after a position, oldest first: fewer than the limit if they are large."""
    return await tx.list(
        Candidate,
        """
        SELECT id, stored, verb, voids, content, attachments FROM (
            SELECT *, sum(octet_length(content)) OVER (ORDER BY stored) AS size,
                   row_number() OVER (ORDER BY stored) AS number
            FROM (SELECT id, stored, verb, voids, content, attachments FROM xapi_statements
                  WHERE tenant_id = :tenant AND stored > :position ORDER BY stored LIMIT :limit) AS following
        ) AS measured
        WHERE number = 1 OR size <= :max_bytes ORDER BY stored
        """,
        position=position,
        limit=limit,
        max_bytes=_MAX_BYTES,
    )


async def advance(tx: Tx, pipe: ClaimedPipe, delivery: Delivery, next_attempt_at: datetime) -> bool:
    """Stores that a batch is done. Returns False if another worker has moved the pipe, or it is gone."""
    sends = bool(delivery.forwarded or delivery.refused)
    moved = await tx.execute(
        """
        UPDATE xapi_pipes
        SET position = :after, forwarded = forwarded + :forwarded, refused = refused + :refused,
            refused_id = COALESCE(:refused_id, refused_id), next_attempt_at = :next_attempt_at,
            failures = CASE WHEN :sends THEN 0 ELSE failures END,
            failing_since = CASE WHEN :sends THEN NULL ELSE failing_since END,
            error = CASE WHEN :sends THEN NULL ELSE error END,
            http_status = CASE WHEN :sends THEN :http_status ELSE http_status END,
            delivered_at = CASE WHEN :sends THEN CAST(:now AS timestamptz) ELSE delivered_at END
        WHERE tenant_id = :tenant AND id = :pipe_id AND position = :before
        """,
        pipe_id=pipe.id,
        before=pipe.position,
        after=delivery.position,
        forwarded=delivery.forwarded,
        refused=len(delivery.refused),
        refused_id=delivery.refused[-1] if delivery.refused else None,
        next_attempt_at=next_attempt_at,
        sends=sends,
        http_status=delivery.http_status,
    )
    return moved > 0


async def note_failure(
    tx: Tx, pipe: ClaimedPipe, result: SendResult, next_attempt_at: datetime, *, pauses: bool
) -> bool:
    """Stores a failure. Returns False if the pipe is gone, off or changed meanwhile."""
    noted = await tx.execute(
        """
        UPDATE xapi_pipes
        SET failures = failures + 1, failing_since = COALESCE(failing_since, :now),
            error = :error, http_status = :http_status, next_attempt_at = :next_attempt_at,
            active = NOT :pauses,
            paused_at = CASE WHEN :pauses THEN CAST(:now AS timestamptz) ELSE paused_at END
        WHERE tenant_id = :tenant AND id = :pipe_id AND active AND position = :position
          AND failures = :failures
        """,
        pipe_id=pipe.id,
        position=pipe.position,
        failures=pipe.failures,
        error=result.error or f"http_{result.http_status}",
        http_status=result.http_status,
        next_attempt_at=next_attempt_at,
        pauses=pauses,
    )
    return noted > 0


async def release(tx: Tx, pipe_ids: Sequence[UUID]) -> None:
    """Ends claims, so that a pipe may be continued at once."""
    await tx.execute(
        """
        UPDATE xapi_pipes SET next_attempt_at = :now
        WHERE tenant_id = :tenant AND id = ANY(:ids::uuid[]) AND failures = 0
        """,
        ids=list(pipe_ids),
    )
