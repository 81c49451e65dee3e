"""Review flags for the demo's administrator: signs of unusual learning, as the worker finds them."""

from trilha.core.database import Tx
from trilha.training.learning.review_flags import actions as reviews
from trilha.training.learning.review_flags import queries as review_queries
from trilha.training.learning.review_flags.schema import Flag

_FLAGS = (
    Flag("TOO_FAST", {"seconds": 40, "median_seconds": 2820, "others": 24}),
    Flag("CLAIMED_TIME", {"said_seconds": 7200, "launch_seconds": 310}),
)


async def leave(tx: Tx) -> None:
    """Flags the enrollments that were completed last."""
    while await reviews.check_waiting(tx):
        pass
    rows = await tx.rows(
        """
        SELECT e.id, (SELECT m.id FROM modules m WHERE m.tenant_id = :tenant AND m.course_id = e.course_id
                      ORDER BY m.position LIMIT 1) AS module_id
        FROM enrollments e WHERE e.tenant_id = :tenant AND e.status = 'COMPLETED'
        ORDER BY e.updated_at DESC, e.id LIMIT 3
        """
    )
    found = [(row["id"], row["module_id"], _FLAGS[number % 2]) for number, row in enumerate(rows)]
    await review_queries.replace_flags(tx, [], found)
