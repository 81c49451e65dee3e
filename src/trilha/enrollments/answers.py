"""The answers of an enrollment, as the API tells them. What a learner does writes them: see `learning`."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.web.pagination import Keyset, ListQuery, Page
from trilha.enrollments.schema import Interaction

# Of each module the latest attempt that has answers; of each question its last answer, in the place of its
# first one. `place` orders them within an enrollment, byte by byte: its numbers are of one length.
_LATEST = f"""
    WITH answered AS (
        SELECT DISTINCT ON (a.enrollment_id, a.module_id) a.enrollment_id, a.module_id, a.id
        FROM attempts a
        WHERE a.tenant_id = :tenant AND a.enrollment_id = ANY(:enrollment_ids)
          AND EXISTS (SELECT FROM interactions x WHERE x.tenant_id = :tenant AND x.attempt_id = a.id)
        ORDER BY a.enrollment_id, a.module_id, a.number DESC)
    SELECT enrollment_id, place, {columns_of(Interaction)} FROM (
        SELECT answered.enrollment_id, m.id AS module_id, m.title AS module_title, i.*,
               (lpad(m.position::text, 10, '0') || m.id || lpad((min(i.index) OVER question)::text, 10, '0'))
                   COLLATE "C" AS place,
               row_number() OVER (question ORDER BY i.index DESC) AS latest
        FROM answered
        JOIN all_modules m ON m.tenant_id = :tenant AND m.id = answered.module_id
        JOIN interactions i ON i.tenant_id = :tenant AND i.attempt_id = answered.id
        WHERE {{beyond}}
        WINDOW question AS (PARTITION BY i.attempt_id, i.interaction_id)) AS told
    WHERE latest = 1 AND {{after}} ORDER BY enrollment_id, place
"""  # noqa: S608
_ALL = _LATEST.format(beyond="true", after="true")
# What is of modules before the one that the page before ended in is not read again.
_AFTER = _LATEST.format(
    beyond="""lpad(m.position::text, 10, '0') COLLATE "C" >= left(:after, 10)""", after="place > :after"
)


async def list_page(tx: Tx, enrollment_id: UUID, query: ListQuery) -> Page[Interaction]:
    """In the order of the modules, then of first answers. Raises Invalid (invalid_cursor)."""
    keyset = Keyset(tx, query, route=f"enrollments/{enrollment_id}/interactions")
    after = {"after": keyset.after[0]} if keyset.after else {}
    rows = await tx.rows(
        f"{_AFTER if keyset.after else _ALL} LIMIT {query.limit + 1}", enrollment_ids=[enrollment_id], **after
    )
    places = [(row["place"], row["module_id"]) for row in rows]
    return keyset.page(structs_of(Interaction, rows), places)


async def list_all(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, list[Interaction]]:
    """By enrollment, in the same order."""
    rows = await tx.rows(_ALL, enrollment_ids=enrollment_ids)
    found: dict[UUID, list[Interaction]] = {}
    for row, answer in zip(rows, structs_of(Interaction, rows), strict=True):
        found.setdefault(row["enrollment_id"], []).append(answer)
    return found
