"""The SQL of observations and flags.

Observations are stored, so that checking one person does not read the attempts of all others again.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.training.learning.review_flags import rules
from trilha.training.learning.review_flags.schema import FlagKind, ModuleFlag, ReviewFlag


async def take_waiting(tx: Tx, limit: int) -> list[UUID]:
    """Takes enrollments to check out of the queue; an enrollment may occur twice."""
    rows = await tx.rows(
        """
        DELETE FROM review_checks WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM review_checks WHERE tenant_id = :tenant
            ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)
        RETURNING enrollment_id
        """,
        limit=limit,
    )
    return [row["enrollment_id"] for row in rows]


async def store_observations(tx: Tx, enrollments: Sequence[UUID]) -> None:
    """Stores an observation of each module that was begun; its `seconds` never change once they are set."""
    states = await _hash_states(tx, enrollments)
    await tx.execute(
        """
        INSERT INTO module_observations (tenant_id, enrollment_id, module_id, user_id, answers, seconds,
                                         state_hash, observed_at)
        SELECT :tenant, reached.enrollment_id, reached.module_id, e.user_id, (
                   SELECT count(*) FROM attempts AS a
                   JOIN interactions AS i ON i.tenant_id = a.tenant_id AND i.attempt_id = a.id
                   WHERE a.tenant_id = :tenant AND a.enrollment_id = reached.enrollment_id
                     AND a.module_id = reached.module_id),
               CASE WHEN reached.completed_at IS NOT NULL THEN (
                   SELECT COALESCE(sum(l.credited_seconds), 0) FROM attempts AS a
                   JOIN launches AS l ON l.tenant_id = a.tenant_id AND l.attempt_id = a.id
                   WHERE a.tenant_id = :tenant AND a.enrollment_id = reached.enrollment_id
                     AND a.module_id = reached.module_id) END,
               state.hash, :now
        FROM module_progress AS reached
        JOIN enrollments AS e ON e.tenant_id = reached.tenant_id AND e.id = reached.enrollment_id
        LEFT JOIN unnest(:of_enrollments::uuid[], :of_modules::uuid[], :hashes::bytea[])
            AS state (enrollment_id, module_id, hash)
            ON state.enrollment_id = reached.enrollment_id AND state.module_id = reached.module_id
        WHERE reached.tenant_id = :tenant AND reached.enrollment_id = ANY(:enrollments)
        ORDER BY reached.enrollment_id, reached.module_id
        ON CONFLICT (tenant_id, enrollment_id, module_id) DO UPDATE
        SET answers = excluded.answers, state_hash = excluded.state_hash,
            seconds = COALESCE(module_observations.seconds, excluded.seconds),
            observed_at = CASE WHEN module_observations.seconds IS NULL THEN excluded.observed_at
                               ELSE module_observations.observed_at END
        """,
        enrollments=enrollments,
        of_enrollments=[enrollment for enrollment, _ in states],
        of_modules=[module for _, module in states],
        hashes=list(states.values()),
    )


async def _hash_states(tx: Tx, enrollments: Sequence[UUID]) -> Mapping[tuple[UUID, UUID], bytes]:
    """Returns the hash of the last attempt's state, by enrollment and module."""
    rows = await tx.rows(
        """
        SELECT enrollment_id, module_id, cmi FROM (
            SELECT DISTINCT ON (enrollment_id, module_id) enrollment_id, module_id, cmi FROM attempts
            WHERE tenant_id = :tenant AND enrollment_id = ANY(:enrollments)
            ORDER BY enrollment_id, module_id, number DESC) AS last
        WHERE length(cmi) >= :least
        """,
        enrollments=enrollments,
        least=rules.MIN_STATE,
    )
    hashes = {(row["enrollment_id"], row["module_id"]): rules.hash_state(row["cmi"]) for row in rows}
    return {key: hash for key, hash in hashes.items() if hash is not None}


# Compares with other people. Each part reads a few rows of an index, however many people there are.
_COMPARISONS = """
    SELECT mine.enrollment_id, mine.module_id, mine.user_id, reached.score, mine.answers, mine.seconds,
           EXISTS (
               SELECT FROM module_observations AS other
               WHERE other.tenant_id = :tenant AND other.module_id = mine.module_id AND other.answers > 0
                 AND other.user_id <> mine.user_id) AS others_answer,
           ARRAY(
               SELECT other.seconds FROM module_observations AS other
               WHERE other.tenant_id = :tenant AND other.module_id = mine.module_id
                 AND other.seconds IS NOT NULL AND other.user_id <> mine.user_id
               ORDER BY other.observed_at DESC LIMIT :max_others) AS others,
           ARRAY(
               SELECT other.enrollment_id FROM module_observations AS other
               WHERE other.tenant_id = :tenant AND other.module_id = mine.module_id
                 AND other.state_hash = mine.state_hash AND other.user_id <> mine.user_id
               LIMIT :max_alike) AS alike,
           ARRAY(
               SELECT ARRAY[l.session_seconds, extract(epoch FROM GREATEST(
                          l.seen_at, COALESCE(l.ended_at, l.seen_at)) - l.started_at)::double precision]
               FROM attempts AS a JOIN launches AS l ON l.tenant_id = a.tenant_id AND l.attempt_id = a.id
               WHERE a.tenant_id = :tenant AND a.enrollment_id = mine.enrollment_id
                 AND a.module_id = mine.module_id AND NOT l.review AND l.session_seconds IS NOT NULL
               ORDER BY l.number DESC LIMIT 100) AS claims
    FROM module_observations AS mine
    JOIN module_progress AS reached ON reached.tenant_id = mine.tenant_id
        AND reached.enrollment_id = mine.enrollment_id AND reached.module_id = mine.module_id
    WHERE mine.tenant_id = :tenant AND mine.enrollment_id = ANY(:enrollments)
"""


async def list_comparisons(tx: Tx, enrollments: Sequence[UUID]) -> Sequence[Any]:
    """Returns a row for each module that was begun, with what others did in it."""
    return await tx.rows(
        _COMPARISONS,
        enrollments=enrollments,
        max_others=rules.MAX_OTHERS,
        max_alike=rules.MAX_ALIKE + 1,
    )


async def replace_flags(tx: Tx, enrollments: Sequence[UUID], flags: Sequence[ModuleFlag]) -> None:
    """Replaces the open flags of these enrollments. A dismissed flag stays dismissed."""
    await tx.execute(
        """
        DELETE FROM review_flags
        WHERE tenant_id = :tenant AND enrollment_id = ANY(:enrollments) AND dismissed_at IS NULL
        """,
        enrollments=enrollments,
    )
    await _insert_flags(tx, flags)


async def _insert_flags(tx: Tx, flags: Sequence[ModuleFlag]) -> None:
    if not flags:
        return
    unique = {(enrollment, module, flag.kind): flag for enrollment, module, flag in flags}
    keys = sorted(unique)
    await tx.execute(
        """
        INSERT INTO review_flags (tenant_id, enrollment_id, module_id, kind, detail, flagged_at)
        SELECT :tenant, flag.*, :now
        FROM unnest(:enrollments::uuid[], :modules::uuid[], :kinds::text[], :details::jsonb[]) AS flag
        ON CONFLICT (tenant_id, enrollment_id, module_id, kind) DO NOTHING
        """,
        enrollments=[enrollment for enrollment, _, _ in keys],
        modules=[module for _, module, _ in keys],
        kinds=[kind for _, _, kind in keys],
        details=[dict(unique[key].detail) for key in keys],
    )


async def delete_common_flags(tx: Tx, enrollments: Sequence[UUID]) -> None:
    """Deletes flags of a state that turned out to be common, because it is simply how the content ends."""
    await tx.execute(
        """
        DELETE FROM review_flags
        WHERE tenant_id = :tenant AND enrollment_id = ANY(:enrollments) AND kind = 'SAME_STATE'
          AND dismissed_at IS NULL
        """,
        enrollments=enrollments,
    )


_COLUMNS = columns_of(ReviewFlag).replace("module_title", "m.title AS module_title")
_COLUMNS = _COLUMNS.replace("dismissed_by", "COALESCE(person.name, '') AS dismissed_by")


async def list_flags(tx: Tx, enrollment_id: UUID) -> list[ReviewFlag]:
    """Lists the flags of an enrollment, open ones first."""
    return await tx.list(
        ReviewFlag,
        f"""
        SELECT {_COLUMNS} FROM review_flags AS flag
        JOIN all_modules AS m ON m.tenant_id = flag.tenant_id AND m.id = flag.module_id
        LEFT JOIN users AS person ON person.tenant_id = flag.tenant_id AND person.id = flag.dismissed_by
        WHERE flag.tenant_id = :tenant AND flag.enrollment_id = :enrollment_id
        ORDER BY flag.dismissed_at IS NOT NULL, m.position, flag.kind
        """,  # noqa: S608
        enrollment_id=enrollment_id,
    )


async def dismiss_flag(
    tx: Tx, enrollment_id: UUID, module_id: UUID, kind: FlagKind, user_id: UUID, reason: str
) -> bool:
    """Returns False if the flag is not open."""
    changed = await tx.execute(
        """
        UPDATE review_flags SET dismissed_at = :now, dismissed_by = :user_id, reason = :reason
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
          AND kind = :kind AND dismissed_at IS NULL
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
        kind=kind,
        user_id=user_id,
        reason=reason,
    )
    return bool(changed)
