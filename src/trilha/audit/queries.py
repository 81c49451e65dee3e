"""The SQL of the audit records, which are only ever added."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.audit import names
from trilha.audit.schema import AuditQuery, AuditRecord, AuditRow, NewRecord
from trilha.core.database import Tx, columns_of
from trilha.core.types import to_json
from trilha.core.web.pagination import Page, fetch_page

_SELECT = f"SELECT {columns_of(AuditRow)} FROM audit_records WHERE tenant_id = :tenant"  # noqa: S608
_INSERT = """
    INSERT INTO audit_records (tenant_id, action, target_id, target_name, actor_kind, actor, source,
                               detail, created_at)
    SELECT :tenant, record.action, record.target_id, record.target_name, :actor_kind, :actor, :source,
           record.detail::jsonb, :now
    FROM unnest(:actions::text[], :target_ids::uuid[], :target_names::text[], :details::text[])
         AS record (action, target_id, target_name, detail)
"""
# For a statement that changes something as well: `WITH {RECORDED} INSERT ...`, with `parameters`.
RECORDED = f"recorded AS ({_INSERT})"


def parameters(tx: Tx, records: Sequence[NewRecord]) -> dict[str, Any]:
    """What a statement with RECORDED takes, beside its own."""
    return {
        "actions": [each.action for each in records],
        "target_ids": [each.target_id for each in records],
        "target_names": [each.target_name for each in records],
        "details": [to_json(each.detail).decode() for each in records],
        "actor_kind": tx.actor.kind,
        "actor": tx.actor.name,
        "source": tx.actor.source,
    }


async def record(
    tx: Tx, action: str, target_id: UUID | None = None, target_name: str = "", **detail: Any
) -> None:
    """In the transaction of the recorded change, where no event is emitted that tells of it.

    No secret, no document and no person's name: see NewRecord.
    """
    await tx.execute(_INSERT, **parameters(tx, [NewRecord(action, target_id, target_name, detail)]))


async def list_page(tx: Tx, query: AuditQuery) -> Page[AuditRecord]:
    """Newest first, with names."""
    page = await _rows(tx, query)
    return Page(await names.add(tx, page.data), page.next_cursor, page.has_more, page.limit)


async def _rows(tx: Tx, query: AuditQuery) -> Page[AuditRow]:
    where, params = [], dict[str, Any]()
    for name in ("actor", "target_id"):
        if (value := getattr(query, name)) is not None:
            where.append(f"{name} = :{name}")
            params[name] = value
    if query.action is not None:
        where.append("starts_with(action, :prefix)")
        params["prefix"] = query.action
    if query.since is not None:
        where.append("created_at >= :since")
        params["since"] = query.since
    if query.until is not None:
        where.append("created_at < :until")
        params["until"] = query.until
    if query.search is not None:
        where.append(names.MATCHES)
        params |= await names.matching(tx, query.search)
    return await fetch_page(tx, AuditRow, _SELECT, query, route="audit", where=where, **params)
