"""The lessons that a person has written, in the export of personal data."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader

_PAGE = 200


class WrittenLesson(Struct, frozen=True):
    """A version of a lesson that the person has published, or a draft, which has no version."""

    module_id: UUID
    title: str
    language: str
    version: int | None
    saved_at: Timestamp


async def _read(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[WrittenLesson]]:
    position = 0
    while True:
        async with reader.transaction() as tx:
            rows = await tx.list(
                WrittenLesson,
                """
                SELECT w.module_id, m.title, w.language, w.version, w.saved_at
                FROM (
                    SELECT v.tenant_id, v.module_id, v.language, v.number AS version, v.created_at AS saved_at
                    FROM lesson_versions v WHERE v.tenant_id = :tenant AND v.author_id = :user_id
                    UNION ALL
                    SELECT d.tenant_id, d.module_id, d.language, NULL, d.saved_at
                    FROM lesson_drafts d WHERE d.tenant_id = :tenant AND d.author_id = :user_id
                ) w
                JOIN all_modules m ON m.tenant_id = w.tenant_id AND m.id = w.module_id
                ORDER BY w.saved_at, w.module_id, w.language, w.version LIMIT :limit OFFSET :position
                """,
                user_id=user_id,
                limit=_PAGE,
                position=position,
            )
        if rows:
            yield rows
        if len(rows) < _PAGE:
            return
        position += len(rows)


LESSONS: Sequence[ExportPart] = [ExportPart("lessons", WrittenLesson, _read)]
