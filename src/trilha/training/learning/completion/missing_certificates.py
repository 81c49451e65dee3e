"""Issues certificates for completions that are older than the company's certificates."""

from trilha.core.database import Tx
from trilha.training.certificates import actions as certificates
from trilha.training.certificates import issue_queries
from trilha.training.learning.evidence import queries as evidence_queries

_BATCH = 100
# While this many of a tenant's PDFs wait to be rendered, no more are issued: today's certificates come first.
_MAX_WAITING = 200


async def issue_missing(tx: Tx) -> int:
    """Issues a batch without notifying anybody; returns how many enrollments were looked at."""
    if await issue_queries.count_waiting(tx, _MAX_WAITING) >= _MAX_WAITING:
        return 0
    ids = await issue_queries.list_missing(tx, _BATCH)
    if ids:
        await issue_queries.lock_holders(tx, ids)
        evidence = await evidence_queries.list_completion_entries(tx, ids)
        await certificates.issue_all(tx, {id: evidence.get(id) for id in ids}, announced=False)
        await issue_queries.delete_missing(tx, ids)
    return len(ids)
