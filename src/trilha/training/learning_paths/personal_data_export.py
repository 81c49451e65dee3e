"""The export of the learning paths that a person was assigned."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader


class FollowedPath(Struct, frozen=True):
    """A learning path that the person was assigned, with its title at the time of the export."""

    learning_path_id: UUID
    title: str
    assigned_at: Timestamp
    due_at: Timestamp | None
    completed_at: Timestamp | None


async def _list_paths(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[FollowedPath]]:
    """Newest first."""
    async with reader.transaction() as tx:
        paths = await tx.list(
            FollowedPath,
            """
            SELECT path.id AS learning_path_id, path.title, a.assigned_at, a.due_at, a.completed_at
            FROM learning_path_assignments a
            JOIN learning_paths path ON path.tenant_id = a.tenant_id AND path.id = a.path_id
            WHERE a.tenant_id = :tenant AND a.user_id = :user_id ORDER BY a.assigned_at DESC, path.id
            """,
            user_id=user_id,
        )
    yield paths


EXPORT = (ExportPart("learning_paths", FollowedPath, _list_paths),)
