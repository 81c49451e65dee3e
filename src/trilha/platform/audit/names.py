"""Looks up the current names of actors and targets.

Records hold only ids. A renamed person is therefore displayed with the new name, and an erased person
without one.
"""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.platform.audit.schema import AuditRecord, AuditRow

_NAME_COLUMNS = {
    "users": "name",
    "courses": "title",
    "learning_paths": "title",
    "api_keys": "name",
    "oauth_clients": "name",
    "scim_tokens": "name",
    "xapi_keys": "name",
    "sso_connections": "name",
}
_NAMES = " UNION ALL ".join(
    f"SELECT id, {name} AS name FROM {table} WHERE tenant_id = :tenant AND id = ANY(:ids)"  # noqa: S608
    for table, name in _NAME_COLUMNS.items()
)
# members of `detail` that refer to a person or a course, in order of precedence
_MEMBERS = ("user_id", "course_id")


async def add(tx: Tx, rows: Sequence[AuditRow]) -> list[AuditRecord]:
    """Adds the names of actors and subjects to audit records, with one statement."""
    ids = {id for row in rows for id in (_uuid(row.actor), row.target_id, *_members(row)) if id}
    name_rows = await tx.rows(_NAMES, ids=list(ids)) if ids else []
    names: dict[UUID | None, str] = {each["id"]: each["name"] for each in name_rows}
    return [
        AuditRecord(
            id=row.id,
            created_at=row.created_at,
            action=row.action,
            target_id=row.target_id,
            target_name=row.target_name or _target(row, names),
            actor_kind=row.actor_kind,
            actor=row.actor,
            actor_name=names.get(_uuid(row.actor), ""),
            source=row.source,
            detail=row.detail,
        )
        for row in rows
    ]


def _target(row: AuditRow, names: dict[UUID | None, str]) -> str:
    """Returns the name of the target. For an enrollment, these are the names of the person and the course."""
    if row.target_id in names:
        return names[row.target_id]
    return ", ".join(names[id] for id in _members(row) if id in names)


def _members(row: AuditRow) -> list[UUID]:
    return [id for name in _MEMBERS if (id := _uuid(row.detail.get(name, "")))]


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
