"""Certificates of what was completed before there were any."""

from trilha.certificates import actions as certificates
from trilha.certificates import issue_queries as issued
from trilha.core.database import Tx
from trilha.learning.evidence import queries as evidence_queries

_BATCH = 100

# While so many of a tenant's PDFs are still to be made no more are asked for: those of today come first.
_WAITING = 200


async def issue_missing(tx: Tx) -> int:
    """Issues the next ones; how many enrollments were looked at. Nobody is told of these."""
    if await issued.count_waiting(tx, _WAITING) >= _WAITING:
        return 0
    ids = await issued.list_missing(tx, _BATCH)
    if ids:
        await issued.lock_holders(tx, ids)
        evidence = await evidence_queries.list_completion_entries(tx, ids)
        await certificates.issue_all(tx, {each: evidence.get(each) for each in ids}, announced=False)
        await issued.delete_missing(tx, ids)
    return len(ids)
