"""The SQL of importing completions."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of, structs_of
from trilha.training.enrollments import counters
from trilha.training.enrollments.counters import CountedCompletion
from trilha.training.enrollments.schema import PastCompletion

# How long it prevents another enrollment: as long as its certificate would be valid.
_VALID_UNTIL = """(
    (new.completed_at AT TIME ZONE COALESCE(settings.time_zone, 'America/Sao_Paulo')
     + make_interval(months => course.certificate_validity_months))
    AT TIME ZONE COALESCE(settings.time_zone, 'America/Sao_Paulo'))"""


async def insert(tx: Tx, items: Sequence[PastCompletion]) -> list[UUID]:
    """Inserts the completions that are new, counts them by course, and returns their ids. A person's latest
    completion in a course becomes the current enrollment unless there is one already.
    """
    rows = await tx.rows(
        f"""
        INSERT INTO all_enrollments (tenant_id, user_id, course_id, status, current, progress, score,
                                     started_at, completed_at, valid_until, imported_from, imported_at,
                                     created_at, updated_at)
        SELECT :tenant, new.user_id, new.course_id, 'COMPLETED',
               CASE WHEN row_number() OVER (PARTITION BY new.user_id, new.course_id
                                            ORDER BY new.completed_at DESC) = 1
                     AND NOT EXISTS (
                         SELECT FROM enrollments AS place
                         WHERE place.tenant_id = :tenant AND place.user_id = new.user_id
                           AND place.course_id = new.course_id AND place.current) THEN true END,
               100, new.score, COALESCE(new.started_at, new.completed_at), new.completed_at, {_VALID_UNTIL},
               new.source, :now, :now, :now
        FROM unnest(:users::uuid[], :courses::uuid[], :starts::timestamptz(3)[], :ends::timestamptz(3)[],
                    :scores::float8[], :sources::text[])
             AS new (user_id, course_id, started_at, completed_at, score, source)
        JOIN courses AS course ON course.tenant_id = :tenant AND course.id = new.course_id
        LEFT JOIN tenant_settings AS settings ON settings.tenant_id = :tenant
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
