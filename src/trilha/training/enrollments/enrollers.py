"""Who made an enrollment, according to the audit log."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp

_RECORDED_FOR = """
    WITH found AS (
        SELECT created_at, action, actor_kind, actor FROM audit_records
        WHERE tenant_id = :tenant AND target_id = :enrollment_id
        UNION ALL
        SELECT created_at, action, actor_kind, actor FROM audit_records
        WHERE tenant_id = :tenant AND created_at = :created_at
          AND action IN ('enrollment.bulk_created', 'enrollment.bulk_imported')
          AND detail -> 'enrollment_ids' @> to_jsonb(CAST(:enrollment_text AS text)))
    SELECT found.actor_kind, COALESCE(person.name, key.name, client.name, '') AS actor_name
    FROM found
    LEFT JOIN users AS person ON person.tenant_id = :tenant AND person.id::text = found.actor
    LEFT JOIN api_keys AS key ON key.tenant_id = :tenant AND key.id::text = found.actor
    LEFT JOIN oauth_clients AS client ON client.tenant_id = :tenant AND client.id::text = found.actor
    WHERE found.action IN ('enrollment.created', 'enrollment.bulk_created', 'enrollment.bulk_imported')
    ORDER BY found.created_at LIMIT 1
"""


class Enroller(Struct, frozen=True):
    """The author of an enrollment; the name is empty if there is none."""

    actor_kind: str
    actor_name: str


async def find_enroller(tx: Tx, enrollment_id: UUID, created_at: Timestamp) -> Enroller | None:
    """Returns None if the audit record is no longer kept."""
    return await tx.find(
        Enroller,
        _RECORDED_FOR,
        enrollment_id=enrollment_id,
        enrollment_text=str(enrollment_id),
        created_at=created_at,
    )
