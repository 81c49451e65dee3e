"""The export of a person's requirements and excuses."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader
from trilha.training.requirements.standing import State


class HeldRequirement(Struct, frozen=True):
    """A requirement that applies to the person, or that they are excused from, with its title at the time of
    the export. `state` is null if it does not apply.
    """

    requirement_id: UUID
    title: str
    state: State | None
    due_at: Timestamp | None
    valid_until: Timestamp | None
    extended_to: Timestamp | None
    excuse_reason: str | None
    excused_until: Timestamp | None


async def _list_requirements(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[HeldRequirement]]:
    """Oldest first."""
    async with reader.transaction() as tx:
        requirements = await tx.list(
            HeldRequirement,
            """
            SELECT r.id AS requirement_id, r.title, p.state, p.due_at, p.valid_until,
                   later.due_at AS extended_to, x.reason AS excuse_reason, x.until AS excused_until
            FROM requirements r
            LEFT JOIN requirement_people p
                ON p.tenant_id = r.tenant_id AND p.requirement_id = r.id AND p.user_id = :user_id
            LEFT JOIN requirement_excuses x
                ON x.tenant_id = r.tenant_id AND x.requirement_id = r.id AND x.user_id = :user_id
            LEFT JOIN requirement_extensions later
                ON later.tenant_id = r.tenant_id AND later.requirement_id = r.id AND later.user_id = :user_id
            WHERE r.tenant_id = :tenant AND r.deleted_at IS NULL
              AND (p.user_id IS NOT NULL OR x.user_id IS NOT NULL OR later.user_id IS NOT NULL)
            ORDER BY r.created_at, r.id
            """,
            user_id=user_id,
        )
    yield requirements


EXPORT = (ExportPart("requirements", HeldRequirement, _list_requirements),)
