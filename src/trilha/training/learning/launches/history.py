"""The launches of an enrollment and the calls that content made in them, for administrators."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx, columns_of
from trilha.core.lists import List, Walk, by_owner, get_row
from trilha.core.types import Timestamp
from trilha.training.learning.launches.rules import SILENCE_LIMIT
from trilha.training.scorm.runtime.mapping import Completion, Success


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


_ATTEMPT = "(SELECT {} FROM attempts WHERE tenant_id = :tenant AND id = row.attempt_id)"
_MODULE = """(
    SELECT {} FROM all_modules AS module
    JOIN attempts AS attempt ON attempt.tenant_id = :tenant AND attempt.module_id = module.id
    WHERE module.tenant_id = :tenant AND attempt.id = row.attempt_id)"""
LAUNCHES = List(
    name="launches",
    table="launches",
    kind=PastLaunch,
    columns={
        "module_title": _MODULE.format("module.title"),
        "removed": _MODULE.format("module.removed_at IS NOT NULL"),
        "attempt": _ATTEMPT.format("number"),
        "completion": _ATTEMPT.format("completion"),
        "success": _ATTEMPT.format("success"),
        "score": _ATTEMPT.format("score"),
        "superseded": "row.superseded_by IS NOT NULL",
        "silent": f"""row.seen_at
            < CAST(:now AS timestamptz) - interval '{int(SILENCE_LIMIT.total_seconds())} seconds'""",
        "commits": "row.last_sequence",
        "unapplied": """(
            SELECT count(*) FROM unapplied_reports WHERE tenant_id = :tenant AND launch_id = row.id)""",
        "calls": """(
            SELECT COALESCE(sum(jsonb_array_length(calls)), 0) FROM launch_traces
            WHERE tenant_id = :tenant AND launch_id = row.id)""",
    },
    default_walk=Walk(keys=("number",), direction="DESC"),
    reach=by_owner("enrollment_id", "number"),
)


async def get_past_launch(tx: Tx, enrollment_id: UUID, launch_id: UUID) -> PastLaunch:
    """Raises NotFound (launch_not_found)."""
    return await get_row(tx, LAUNCHES, launch_id, enrollment_id, missing="launch_not_found")


class TraceQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`errors` asks for failed calls only. `batch` and `place` belong to the last call that was shown, and
    `after` is the time of the last statement, in microseconds since 1970.
    """

    errors: bool = False
    after: Annotated[int, Meta(ge=0, le=2**62)] = 0
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
