"""The SQL of qualifications."""

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import get_row
from trilha.core.resealing.columns import SealedColumn
from trilha.training.qualifications.lists import QUALIFICATIONS
from trilha.training.qualifications.rules import build_title_key
from trilha.training.qualifications.schema import (
    Document,
    DueNotice,
    HeldQualification,
    NewQualification,
    Qualification,
)

_CONTEXT = "qualifications"
SEALED_DOCUMENTS = SealedColumn(
    kind="documents of qualifications",
    table="qualifications",
    column="content",
    keys={"id": "uuid"},
    context=lambda row: (_CONTEXT, row["id"]),
)


async def get(tx: Tx, id: UUID) -> Qualification:
    """Raises NotFound."""
    return await get_row(tx, QUALIFICATIONS, id, missing="qualification_not_found")


async def get_zone(tx: Tx) -> ZoneInfo:
    """Returns the company's time zone."""
    name = await tx.value("SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant")
    return ZoneInfo(name or "America/Sao_Paulo")


async def lock_person(tx: Tx, user_id: UUID) -> None:
    """Keeps a person from being erased. Raises NotFound, also for an erased person."""
    sql = "SELECT erased_at IS NULL FROM users WHERE tenant_id = :tenant AND id = :user_id FOR KEY SHARE"
    if not await tx.value(sql, user_id=user_id):
        raise NotFound("user_not_found")


async def insert(tx: Tx, new: NewQualification, notice_due_at: datetime | None) -> UUID:
    id: UUID = await tx.value(
        """
        INSERT INTO qualifications (tenant_id, user_id, title, title_key, issuing_body, register_number,
                                    valid_from, valid_until, notice_due_at, created_at, updated_at)
        VALUES (:tenant, :user_id, :title, :title_key, :issuing_body, :register_number, :valid_from,
                :valid_until, :notice_due_at, :now, :now)
        RETURNING id
        """,
        user_id=new.user_id,
        title=new.title,
        title_key=build_title_key(new.title),
        issuing_body=new.issuing_body,
        register_number=new.register_number,
        valid_from=new.valid_from,
        valid_until=new.valid_until,
        notice_due_at=notice_due_at,
    )
    return id


async def update(tx: Tx, id: UUID, values: Mapping[str, Any]) -> None:
    changes = dict(values)
    if "title" in changes:
        changes["title_key"] = build_title_key(changes["title"])
    columns = "".join(f"{name} = :{name}, " for name in changes)
    await tx.execute(
        f"UPDATE qualifications SET {columns}updated_at = :now WHERE tenant_id = :tenant AND id = :id",  # noqa: S608
        id=id,
        **changes,
    )


async def store_document(tx: Tx, id: UUID, document: Document) -> None:
    """Stores a document in place of an earlier one."""
    content = base64.b64encode(document.content).decode()
    sealed = tx.keyring.seal(content, tx.tenant_id, _CONTEXT, id)
    await update(tx, id, {"media_type": document.media_type, "content": sealed})


async def read_document(tx: Tx, id: UUID) -> Document:
    """Raises NotFound."""
    rows = await tx.rows(
        "SELECT media_type, content FROM qualifications WHERE tenant_id = :tenant AND id = :id", id=id
    )
    if not rows or rows[0]["content"] is None:
        raise NotFound("qualification_not_found")
    opened = tx.keyring.open(rows[0]["content"], tx.tenant_id, _CONTEXT, id)
    return Document(rows[0]["media_type"], base64.b64decode(opened))


async def remove(tx: Tx, id: UUID) -> None:
    """Hides a qualification. Assessments have what it was on their day."""
    await update(tx, id, {"removed_at": tx.now, "notice_due_at": None, "media_type": None, "content": None})


async def list_valid(
    tx: Tx, user_ids: Sequence[UUID], day: str, title: str | None = None
) -> list[HeldQualification]:
    """Lists the qualifications of these people that are valid on a day, those that last longest first. With a
    `title`, only those of this title; its spelling in capitals does not matter.
    """
    return await tx.list(
        HeldQualification,
        """
        SELECT id, user_id, title, issuing_body, register_number, valid_until FROM qualifications
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids) AND removed_at IS NULL
          AND valid_from <= :day AND (valid_until IS NULL OR valid_until >= :day)
          AND title_key = COALESCE(CAST(:title_key AS text), title_key)
        ORDER BY valid_until DESC NULLS FIRST, created_at, id
        """,
        user_ids=list(user_ids),
        day=day,
        title_key=None if title is None else build_title_key(title),
    )


async def take_due_notices(tx: Tx, limit: int) -> list[DueNotice]:
    """Returns qualifications that expire soon, locked until the transaction ends; skips locked rows."""
    return await tx.list(
        DueNotice,
        """
        SELECT d.id, d.user_id, d.title, d.valid_until, u.email, u.name,
               COALESCE(u.locale, t.locale) AS locale,
               COALESCE(s.time_zone, 'America/Sao_Paulo') AS time_zone, u.status = 'ACTIVE' AS reachable
        FROM (SELECT id, user_id, title, valid_until, notice_due_at FROM qualifications
              WHERE tenant_id = :tenant AND notice_due_at <= :now
              ORDER BY notice_due_at LIMIT :limit FOR UPDATE SKIP LOCKED) AS d
        JOIN users u ON u.tenant_id = :tenant AND u.id = d.user_id
        JOIN tenants t ON t.id = :tenant
        LEFT JOIN tenant_settings s ON s.tenant_id = :tenant
        ORDER BY d.notice_due_at, d.id
        """,
        limit=limit,
    )


async def set_notices(tx: Tx, due_times: Mapping[UUID, datetime | None]) -> None:
    await tx.execute(
        """
        UPDATE qualifications q SET notice_due_at = f.due_at
        FROM unnest(:ids::uuid[], :dues::timestamptz[]) AS f (id, due_at)
        WHERE q.tenant_id = :tenant AND q.id = f.id
        """,
        ids=list(due_times),
        dues=list(due_times.values()),
    )


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Removes the documents of an erased person, and ends the notices. Titles, register numbers and days stay
    as evidence of the training that the person gave.
    """
    await tx.execute(
        """
        UPDATE qualifications SET media_type = NULL, content = NULL, notice_due_at = NULL
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
    )
