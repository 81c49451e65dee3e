"""The answers of an enrollment, as the API tells them. What a learner does writes them: see `learning`."""

from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.core.web.pagination import ListQuery, Page, page_of
from trilha.enrollments.schema import Interaction

# Of each module the latest attempt that has answers; of each question its last answer, in the place of its
# first one.
_LATEST = f"""
    SELECT {columns_of(Interaction)} FROM (
        SELECT m.position, m.id AS module_id, m.title AS module_title, i.*,
               row_number() OVER (question ORDER BY i.index DESC) AS latest,
               min(i.index) OVER question AS first
        FROM modules m
        JOIN LATERAL (
            SELECT a.id FROM attempts a
            WHERE a.tenant_id = :tenant AND a.enrollment_id = :enrollment_id AND a.module_id = m.id
              AND EXISTS (SELECT FROM interactions x WHERE x.tenant_id = :tenant AND x.attempt_id = a.id)
            ORDER BY a.number DESC LIMIT 1) AS answered ON true
        JOIN interactions i ON i.tenant_id = :tenant AND i.attempt_id = answered.id
        WHERE m.tenant_id = :tenant AND m.course_id = (
            SELECT course_id FROM enrollments WHERE tenant_id = :tenant AND id = :enrollment_id)
        WINDOW question AS (PARTITION BY i.attempt_id, i.interaction_id)) AS told
    WHERE latest = 1 ORDER BY position, first
"""  # noqa: S608


async def list_page(tx: Tx, enrollment_id: UUID, query: ListQuery) -> Page[Interaction]:
    """In the order of the modules, then of first answers. Raises Invalid (invalid_cursor)."""
    rows = await tx.list(Interaction, _LATEST, enrollment_id=enrollment_id)
    return page_of(tx, rows, query, route=f"enrollments/{enrollment_id}/interactions")
