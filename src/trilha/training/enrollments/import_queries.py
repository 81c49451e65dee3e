"""The SQL of importing completions."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of, structs_of
from trilha.training.enrollments import counters, queries
from trilha.training.enrollments.counters import CountedCompletion
from trilha.training.enrollments.schema import PastCompletion
from trilha.training.enrollments.validity_queries import Pair


async def insert(tx: Tx, items: Sequence[PastCompletion]) -> list[UUID]:
    """Inserts the completions that are new, counts them by course, and returns their ids. A person's latest
    completion in a course becomes the current enrollment unless there is one already.
    """
    rows = await tx.rows(
        f"""
        INSERT INTO all_enrollments (tenant_id, user_id, course_id, status, current, progress, score,
                                     started_at, completed_at, imported_from, imported_at,
                                     created_at, updated_at)
        SELECT :tenant, new.user_id, new.course_id, 'COMPLETED',
               CASE WHEN row_number() OVER (PARTITION BY new.user_id, new.course_id
                                            ORDER BY new.completed_at DESC) = 1
                     AND NOT EXISTS (
                         SELECT FROM enrollments AS place
                         WHERE place.tenant_id = :tenant AND place.user_id = new.user_id
                           AND place.course_id = new.course_id AND place.current) THEN true END,
               100, new.score, COALESCE(new.started_at, new.completed_at), new.completed_at, new.source,
               :now, :now, :now
        FROM unnest(:users::uuid[], :courses::uuid[], :starts::timestamptz(3)[], :ends::timestamptz(3)[],
                    :scores::float8[], :sources::text[])
             AS new (user_id, course_id, started_at, completed_at, score, source)
        ORDER BY new.user_id, new.course_id, new.completed_at
        ON CONFLICT DO NOTHING
        RETURNING id, {columns_of(CountedCompletion)}
        """,  # noqa: S608
        users=[each.user_id for each in items],
        courses=[each.course_id for each in items],
        starts=[each.started_at for each in items],
        ends=[each.completed_at for each in items],
        scores=[each.score for each in items],
        sources=[each.source for each in items],
    )
    await counters.add_completed(tx, structs_of(CountedCompletion, rows))
    return [row["id"] for row in rows]


async def ask_for_certificates(tx: Tx, enrollment_ids: Sequence[UUID]) -> None:
    """Queues the completions for the worker, which issues their certificates."""
    await tx.execute(
        """
        INSERT INTO missing_certificates (tenant_id, enrollment_id) SELECT :tenant, unnest(:ids::uuid[])
        ON CONFLICT DO NOTHING
        """,
        ids=enrollment_ids,
    )


async def lock_unstarted(tx: Tx, pairs: Sequence[Pair]) -> dict[Pair, UUID]:
    """Locks the enrollments that a requirement made for these pairs and that were not started, and returns
    their ids.
    """
    rows = await tx.rows(
        """
        SELECT id, user_id, course_id FROM enrollments
        WHERE tenant_id = :tenant AND status = 'NOT_STARTED' AND required_by IS NOT NULL AND current
          AND (user_id, course_id) IN (
              SELECT pair.* FROM unnest(:users::uuid[], :courses::uuid[]) AS pair)
        ORDER BY user_id, course_id FOR UPDATE
        """,
        users=[user for user, _ in pairs],
        courses=[course for _, course in pairs],
    )
    return {(row["user_id"], row["course_id"]): row["id"] for row in rows}


def _of_row(values: str) -> str:
    """Returns SQL for the value that belongs to the row `e`."""
    return f"({values})[array_position(:ids::uuid[], e.id)]"


_COMPLETE = f"""
    status = 'COMPLETED', progress = 100, score = {_of_row(":scores::float8[]")},
    started_at = {_of_row(":starts::timestamptz(3)[]")}, completed_at = {_of_row(":ends::timestamptz(3)[]")},
    imported_from = {_of_row(":sources::text[]")}, imported_at = :now
"""


async def complete(tx: Tx, completions: Mapping[UUID, PastCompletion]) -> None:
    """Completes locked enrollments, by id, with completions from another system."""
    await queries.change(
        tx,
        _COMPLETE,
        "id = ANY(:ids)",
        ids=list(completions),
        scores=[each.score for each in completions.values()],
        starts=[each.started_at or each.completed_at for each in completions.values()],
        ends=[each.completed_at for each in completions.values()],
        sources=[each.source for each in completions.values()],
    )
