"""The export of a person's assessments, as learner and as assessor."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from trilha.feature import ExportPart, ExportReader
from trilha.training.practice import lists
from trilha.training.practice.schema import ExportedAssessment

_PAGE = 200


async def _list_pages(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[ExportedAssessment]]:
    """The notes are only in the export of the learner, whom they are about."""
    after = UUID(int=0)
    while True:
        async with reader.transaction() as tx:
            rows = await tx.rows(
                f"""
                SELECT a.id AS key, CASE WHEN a.user_id = :user_id THEN 'LEARNER' ELSE 'ASSESSOR' END AS role,
                       c.title AS course, m.title AS module, a.number, {lists.STATUS.format("a")} AS status,
                       a.result, a.assessed_on,
                       CASE WHEN a.user_id = :user_id THEN a.annul_reason END AS annul_reason,
                       ARRAY(SELECT r.note FROM practice_ratings r
                             WHERE r.tenant_id = :tenant AND r.assessment_id = a.id AND r.note IS NOT NULL
                               AND a.user_id = :user_id ORDER BY r.rated_at) AS notes,
                       a.created_at
                FROM practice_assessments a
                JOIN courses c ON c.tenant_id = :tenant AND c.id = a.course_id
                JOIN all_modules m ON m.tenant_id = :tenant AND m.id = a.module_id
                WHERE a.tenant_id = :tenant AND (a.user_id = :user_id OR a.assessor_id = :user_id)
                  AND a.id > :after
                ORDER BY a.id LIMIT :limit
                """,  # noqa: S608
                user_id=user_id,
                after=after,
                limit=_PAGE,
            )
        yield [
            ExportedAssessment(**{name: value for name, value in row.items() if name != "key"})
            for row in rows
        ]
        if len(rows) < _PAGE:
            return
        after = rows[-1]["key"]


EXPORT = (ExportPart("practice_assessments", ExportedAssessment, _list_pages),)
