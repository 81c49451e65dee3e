"""Creates, changes and removes qualifications. Each change is written to the audit log."""

from typing import Any
from uuid import UUID

from msgspec import UNSET, structs

import trilha.training.qualifications.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.platform.audit import queries as audit
from trilha.training.qualifications import queries, rules
from trilha.training.qualifications.errors import MAX_BYTES
from trilha.training.qualifications.schema import (
    Document,
    NewQualification,
    Qualification,
    QualificationUpdate,
)

# What the first bytes of a file say about its kind.
_KINDS = ((b"%PDF-", "application/pdf"), (b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"))


def check_document(content: bytes) -> Document:
    """Raises Invalid (document_not_readable)."""
    for start, media_type in _KINDS:
        if content.startswith(start) and len(content) <= MAX_BYTES:
            return Document(media_type, content)
    raise invalid("document", "document_not_readable")


async def create(tx: Tx, new: NewQualification) -> Qualification:
    """Raises NotFound (user_not_found)."""
    await queries.lock_person(tx, new.user_id)
    zone = await queries.get_zone(tx)
    id = await queries.insert(tx, new, rules.plan_notice(new.valid_until, tx.now, zone))
    await audit.record(tx, "qualification.created", id, new.title, user_id=new.user_id)
    return await queries.get(tx, id)


async def change(tx: Tx, id: UUID, update: QualificationUpdate) -> Qualification:
    """Raises NotFound, Invalid (ends_before_it_begins)."""
    before = await queries.get(tx, id)
    values: dict[str, Any] = {
        name: value
        for name, value in structs.asdict(update).items()
        if value is not UNSET and value != getattr(before, name)
    }
    if not values:
        return before
    after = structs.replace(before, **values)
    if after.valid_until is not None and after.valid_until < after.valid_from:
        raise invalid("valid_until", "ends_before_it_begins")
    if "valid_until" in values:
        zone = await queries.get_zone(tx)
        values["notice_due_at"] = rules.plan_notice(after.valid_until, tx.now, zone)
    await queries.update(tx, id, values)
    changed = [name for name in values if name != "notice_due_at"]
    await audit.record(tx, "qualification.updated", id, after.title, user_id=after.user_id, changed=changed)
    return await queries.get(tx, id)


async def store_document(tx: Tx, id: UUID, document: Document) -> None:
    """Stores the document that proves a qualification. Raises NotFound."""
    qualification = await queries.get(tx, id)
    await queries.lock_person(tx, qualification.user_id)
    await queries.store_document(tx, id, document)
    detail: dict[str, Any] = {"user_id": qualification.user_id, "changed": ["document"]}
    await audit.record(tx, "qualification.updated", id, qualification.title, **detail)


async def remove(tx: Tx, id: UUID) -> None:
    """Removes a qualification with its document. Training that was assessed with it stays valid. Raises
    NotFound.
    """
    qualification = await queries.get(tx, id)
    await queries.remove(tx, id)
    await audit.record(tx, "qualification.deleted", id, qualification.title, user_id=qualification.user_id)
