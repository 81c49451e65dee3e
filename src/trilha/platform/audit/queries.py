"""SQL of the audit records."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.lists import fetch_page, get_row
from trilha.core.types import to_json
from trilha.core.web.pagination import Page
from trilha.platform.audit import lists, names
from trilha.platform.audit.schema import AuditQuery, AuditRecord, NewRecord

_INTO = """
    INSERT INTO audit_records (tenant_id, created_at, actor_kind, actor, source,
                               action, target_id, target_name, detail)
"""
_BY = ":tenant, :now, :actor_kind, :actor, :source"
_ONE = f"{_BY}, :action, :target_id, :target_name, :detail"
_INSERT_ONE = f"{_INTO} VALUES ({_ONE})"
_INSERT_MANY = f"""
    {_INTO} SELECT {_BY}, record.action, record.target_id, record.target_name, record.detail::jsonb
    FROM unnest(:actions::text[], :target_ids::uuid[], :target_names::text[], :details::text[])
         AS record (action, target_id, target_name, detail)
    RETURNING tenant_id
"""  # noqa: S608


def build_record_cte(tx: Tx, records: Sequence[NewRecord]) -> tuple[str, dict[str, Any]]:
    """Builds a CTE that adds records, and its parameters.

    `WITH {part} INSERT INTO ...` saves a round trip.
    """
    by = _by(tx)
    if len(records) == 1:
        return f"recorded AS ({_INSERT_ONE})", by | structs.asdict(records[0])
    return f"recorded AS ({_INSERT_MANY})", by | {
        "actions": [each.action for each in records],
        "target_ids": [each.target_id for each in records],
        "target_names": [each.target_name for each in records],
        "details": [to_json(each.detail).decode() for each in records],
    }


def build_change_record_cte(tx: Tx, record: NewRecord, changed: str) -> tuple[str, dict[str, Any]]:
    """Builds a CTE like `build_record_cte`, which adds the record only if the CTE `changed` returns a row."""
    part = f"recorded AS ({_INTO} SELECT {_ONE} FROM {changed} RETURNING tenant_id)"  # noqa: S608
    return part, _by(tx) | structs.asdict(record)


def _by(tx: Tx) -> dict[str, Any]:
    return {"actor_kind": tx.actor.kind, "actor": tx.actor.name, "source": tx.actor.source}


async def record(
    tx: Tx, action: str, target_id: UUID | None = None, target_name: str = "", **detail: Any
) -> None:
    """Adds a record in the transaction of the change. Use it if no event is emitted for the change.

    A record must not hold secrets, documents or names of people: see NewRecord.
    """
    part, params = build_record_cte(tx, [NewRecord(action, target_id, target_name, detail)])
    await tx.execute(f"WITH {part} SELECT", **params)


async def record_all(tx: Tx, records: Sequence[NewRecord]) -> None:
    """Adds records as `record` does, in one statement. There is at least one."""
    part, params = build_record_cte(tx, records)
    await tx.execute(f"WITH {part} SELECT", **params)


async def list_page(tx: Tx, query: AuditQuery) -> Page[AuditRecord]:
    """Lists records with names, newest first."""
    page = await fetch_page(tx, lists.RECORDS, query)
    return Page(await names.add(tx, page.data), page.next_cursor, page.has_more, page.limit)


async def get(tx: Tx, record_id: UUID) -> AuditRecord:
    """Returns a record with names. Raises NotFound."""
    row = await get_row(tx, lists.RECORDS, record_id, missing="audit_record_not_found")
    (record,) = await names.add(tx, [row])
    return record
