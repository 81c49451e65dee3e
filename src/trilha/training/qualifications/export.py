"""The export of a person's qualifications."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from trilha.feature import ExportPart, ExportReader
from trilha.training.qualifications.schema import ExportedQualification


async def _list_pages(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[ExportedQualification]]:
    """Oldest first, without the documents."""
    async with reader.transaction() as tx:
        yield await tx.list(
            ExportedQualification,
            """
            SELECT title, issuing_body, register_number, valid_from, valid_until,
                   content IS NOT NULL AS has_document, created_at
            FROM qualifications WHERE tenant_id = :tenant AND user_id = :user_id AND removed_at IS NULL
            ORDER BY created_at, id
            """,
            user_id=user_id,
        )


EXPORT = (ExportPart("qualifications", ExportedQualification, _list_pages),)
