"""The export of a person's own evaluations."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from trilha.feature import ExportPart, ExportReader
from trilha.training.evaluations.schema import ExportedEvaluation

_MAX_ROWS = 10_000  # two for each enrollment


async def _list_own(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[ExportedEvaluation]]:
    """Oldest first."""
    async with reader.transaction() as tx:
        yield await tx.list(
            ExportedEvaluation,
            """
            SELECT c.title AS course, e.kind, e.answered_at, e.content, e.clarity, e.instructor, e.platform,
                   e.applicability, e.nps, e.applied, e.text
            FROM course_evaluations e JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
            WHERE e.tenant_id = :tenant AND e.user_id = :user_id AND e.answered_at IS NOT NULL
            ORDER BY e.answered_at, e.id LIMIT :limit
            """,
            user_id=user_id,
            limit=_MAX_ROWS,
        )


EXPORT = (ExportPart("evaluations", ExportedEvaluation, _list_own),)
