"""The answers of an enrollment, as the API tells them. What a learner does writes them: see `learning`."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.web.pagination import ListQuery, Page, page_of
from trilha.enrollments.schema import Interaction

# Of each module the latest attempt that has answers; of each question its last answer, in the place of its
# first one.
_LATEST = f"""
    WITH answered AS (
        SELECT DISTINCT ON (a.enrollment_id, a.module_id) a.enrollment_id, a.module_id, a.id
        FROM attempts a
        WHERE a.tenant_id = :tenant AND a.enrollment_id = ANY(:enrollment_ids)
          AND EXISTS (SELECT FROM interactions x WHERE x.tenant_id = :tenant AND x.attempt_id = a.id)
        ORDER BY a.enrollment_id, a.module_id, a.number DESC)
    SELECT enrollment_id, {columns_of(Interaction)} FROM (
        SELECT answered.enrollment_id, m.position, m.id AS module_id, m.title AS module_title, i.*,
               row_number() OVER (question ORDER BY i.index DESC) AS latest,
               min(i.index) OVER question AS first
        FROM answered
        JOIN all_modules m ON m.tenant_id = :tenant AND m.id = answered.module_id
        JOIN interactions i ON i.tenant_id = :tenant AND i.attempt_id = answered.id
        WINDOW question AS (PARTITION BY i.attempt_id, i.interaction_id)) AS told
    WHERE latest = 1 ORDER BY enrollment_id, position, module_id, first
"""  # noqa: S608


async def list_page(tx: Tx, enrollment_id: UUID, query: ListQuery) -> Page[Interaction]:
    """In the order of the modules, then of first answers. Raises Invalid (invalid_cursor)."""
    rows = (await list_all(tx, [enrollment_id])).get(enrollment_id, [])
    return page_of(tx, rows, query, route=f"enrollments/{enrollment_id}/interactions")


async def list_all(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, list[Interaction]]:
    """By enrollment, in the same order."""
    rows = await tx.rows(_LATEST, enrollment_ids=enrollment_ids)
    found: dict[UUID, list[Interaction]] = {}
    for row, answer in zip(rows, structs_of(Interaction, rows), strict=True):
        found.setdefault(row["enrollment_id"], []).append(answer)
    return found
