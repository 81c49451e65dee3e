"""What the pages of classes show beside the lists."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.training.classes.schema import Overlap, OverlapCode


class DescribedOverlap(Struct, frozen=True):
    """An overlap with its other session."""

    code: OverlapCode
    session_id: UUID
    class_id: UUID
    title: str
    starts_at: Timestamp
    ends_at: Timestamp
    time_zone: str
    room: str | None


async def describe_overlaps(tx: Tx, overlaps: Sequence[Overlap]) -> list[DescribedOverlap]:
    """Returns overlaps with the other sessions, by their start."""
    if not overlaps:
        return []
    return await tx.list(
        DescribedOverlap,
        """
        SELECT o.code, s.id AS session_id, s.class_id, c.title, s.starts_at, s.ends_at, s.time_zone, s.room
        FROM unnest(:codes::text[], :ids::uuid[]) AS o (code, session_id)
        JOIN class_sessions AS s ON s.tenant_id = :tenant AND s.id = o.session_id
        JOIN classes AS c ON c.tenant_id = :tenant AND c.id = s.class_id
        ORDER BY s.starts_at, s.id, o.code
        """,
        codes=[each.code for each in overlaps],
        ids=[each.session_id for each in overlaps],
    )


async def find_project_version(tx: Tx, class_id: UUID) -> int | None:
    """Returns the version of the course's pedagogic project that a class stands under."""
    version: int | None = await tx.value(
        "SELECT project_version FROM classes WHERE tenant_id = :tenant AND id = :class_id", class_id=class_id
    )
    return version
