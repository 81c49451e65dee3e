"""A learner's answers in an enrollment, as the API returns them. The `learning` feature writes them."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.lists import List, Walk, by_owner
from trilha.training.enrollments.schema import Interaction

# For each module, the latest attempt with answers; for each question, the last answer. `place` orders them
# within an enrollment byte by byte: by the position of the module and the index of the question's first
# answer, as numbers of equal length.
_LATEST = f"""
    WITH answered AS (
        SELECT DISTINCT ON (a.enrollment_id, a.module_id) a.enrollment_id, a.module_id, a.id
        FROM attempts a
        WHERE a.tenant_id = :tenant AND a.enrollment_id {{}}
          AND EXISTS (SELECT FROM interactions x WHERE x.tenant_id = :tenant AND x.attempt_id = a.id)
        ORDER BY a.enrollment_id, a.module_id, a.number DESC)
    SELECT tenant_id, enrollment_id, place, {columns_of(Interaction)} FROM (
        SELECT answered.enrollment_id, m.id AS module_id, m.title AS module_title, i.*,
               (lpad(m.position::text, 10, '0') || m.id || lpad((min(i.index) OVER question)::text, 10, '0'))
                   COLLATE "C" AS place,
               row_number() OVER (question ORDER BY i.index DESC) AS latest
        FROM answered
        JOIN all_modules m ON m.tenant_id = :tenant AND m.id = answered.module_id
        JOIN interactions i ON i.tenant_id = :tenant AND i.attempt_id = answered.id
        WINDOW question AS (PARTITION BY i.attempt_id, i.interaction_id)) AS answer
    WHERE latest = 1
"""  # noqa: S608
INTERACTIONS = List(
    name="enrollments/interactions",
    table=f"({_LATEST.format('= :owner')})",
    kind=Interaction,
    id="module_id",
    default_walk=Walk(keys=("place",)),
    reach=by_owner("enrollment_id", "place"),
)


async def list_all(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, list[Interaction]]:
    """Returns the answers by enrollment, in the same order."""
    rows = await tx.rows(
        f"{_LATEST.format('= ANY(:enrollment_ids)')} ORDER BY enrollment_id, place",
        enrollment_ids=enrollment_ids,
    )
    answers: dict[UUID, list[Interaction]] = {}
    for row, answer in zip(rows, structs_of(Interaction, rows), strict=True):
        answers.setdefault(row["enrollment_id"], []).append(answer)
    return answers
