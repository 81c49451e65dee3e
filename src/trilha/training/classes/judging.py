"""Judges enrollments whose attendance or practice has changed, and frees the places of cancelled ones."""

from trilha.core.database import Tx
from trilha.training.classes import attendance_queries, registering, registration_queries
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import queries as evidence_queries

_BATCH = 50


async def judge_next(tx: Tx) -> int:
    """Judges a batch of enrollments, each of which may complete its course. Returns how many."""
    checks = await attendance_queries.list_checks(tx, _BATCH)
    if cancelled := [each for each in checks if each.is_cancelled]:
        # In a transaction of their own, because classes are locked before logs.
        ids = [each.enrollment_id for each in cancelled]
        await registering.cancel_all(tx, await registration_queries.list_of_cancelled(tx, ids))
        checks = cancelled
    else:
        for check in checks:
            await completion.reassess(tx, await evidence_queries.lock_head(tx, check.enrollment_id))
    if checks:
        await attendance_queries.delete_checks(tx, checks)
    return len(checks)
