"""The launches of an enrollment and the calls that content made in them, for administrators."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery, Order, Page, fetch_page
from trilha.learning.launches.rules import SILENCE_LIMIT
from trilha.scorm.runtime.mapping import Completion, Success


class PastLaunch(Struct, frozen=True):
    """A launch as an administrator sees it.

    `commits` is the number of the last report that was accepted. `silent`: the launch has expired. `removed`:
    the module was removed from the course. `left_out` counts the answers that were too large for the browser
    to send, and `unapplied` the reports that could not be applied to the attempt.
    """

    id: UUID
    number: int
    module_title: str
    removed: bool
    attempt: int
    review: bool
    started_at: Timestamp
    seen_at: Timestamp
    ended_at: Timestamp | None
    superseded: bool
    silent: bool
    credited_seconds: float
    commits: int
    completion: Completion
    success: Success
    score: float | None
    source: str
    agent: str
    left_out: int
    unapplied: int
    calls: int


_SILENCE = int(SILENCE_LIMIT.total_seconds())
_LAUNCHES = f"""
    SELECT l.id, l.number, m.title AS module_title, m.removed_at IS NOT NULL AS removed, a.number AS attempt,
           l.review, l.started_at, l.seen_at, l.ended_at, l.superseded_by IS NOT NULL AS superseded,
           l.seen_at < CAST(:now AS timestamptz) - interval '{_SILENCE} seconds' AS silent,
           l.credited_seconds, l.last_sequence AS commits, a.completion, a.success, a.score,
           l.source, l.agent, l.left_out, (
               SELECT count(*) FROM unapplied_reports u
               WHERE u.tenant_id = :tenant AND u.launch_id = l.id) AS unapplied, (
               SELECT COALESCE(sum(jsonb_array_length(t.calls)), 0) FROM launch_traces t
               WHERE t.tenant_id = :tenant AND t.launch_id = l.id) AS calls
    FROM launches l
    JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
    JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
    WHERE l.tenant_id = :tenant AND l.enrollment_id = :enrollment_id
    """  # noqa: S608


async def list_launches(tx: Tx, enrollment_id: UUID, query: ListQuery) -> Page[PastLaunch]:
    """Lists the launches of an enrollment, the latest first."""
    return await fetch_page(
        tx,
        PastLaunch,
        f"SELECT {columns_of(PastLaunch)} FROM ({_LAUNCHES}) AS launched WHERE true",  # noqa: S608
        query,
        route=f"enrollments/{enrollment_id}/launches",
        order=Order("number", "DESC"),
        enrollment_id=enrollment_id,
    )


async def get_past_launch(tx: Tx, enrollment_id: UUID, launch_id: UUID) -> PastLaunch:
    """Raises NotFound (launch_not_found)."""
    sql = f"{_LAUNCHES} AND l.id = :launch_id"
    launch = await tx.find(PastLaunch, sql, enrollment_id=enrollment_id, launch_id=launch_id)
    if launch is None:
        raise NotFound("launch_not_found")
    return launch


class TraceQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`errors` asks for failed calls only. `batch` and `place` belong to the last call that was shown."""

    errors: bool = False
    batch: Annotated[int, Meta(ge=0, le=100_000)] = 0
    place: Annotated[int, Meta(ge=0, le=100_000)] = 0


class TracedCall(Struct, frozen=True):
    """One call. `at` is in milliseconds since the page was loaded; `error` is SCORM's code, or 0."""

    batch: int
    place: int
    at: float
    name: str
    element: str
    value: str
    result: str
    error: int


async def list_traced_calls(tx: Tx, launch_id: UUID, query: TraceQuery, limit: int) -> list[TracedCall]:
    """Lists the calls in the order in which they arrived."""
    return await tx.list(
        TracedCall,
        f"""
        SELECT {columns_of(TracedCall)} FROM (
            SELECT t.number AS batch, c.place::int AS place,
                   (c.call ->> 'at')::float8 AS at, c.call ->> 'name' AS name,
                   COALESCE(c.call ->> 'element', '') AS element, COALESCE(c.call ->> 'value', '') AS value,
                   COALESCE(c.call ->> 'result', '') AS result,
                   COALESCE((c.call ->> 'error')::int, 0) AS error
            FROM launch_traces t, jsonb_array_elements(t.calls) WITH ORDINALITY AS c (call, place)
            WHERE t.tenant_id = :tenant AND t.launch_id = :launch_id AND t.number >= :batch) AS traced
        WHERE (batch, place) > (:batch, :place) AND (error <> 0 OR NOT :errors)
        ORDER BY batch, place LIMIT :limit
        """,  # noqa: S608
        launch_id=launch_id,
        batch=query.batch,
        place=query.place,
        errors=query.errors,
        limit=limit,
    )
