"""The SQL of signatures."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.feature import ExportPart, ExportReader
from trilha.training.signatures.schema import ExportedSignature, Signature, SignatureContent

_CONTEXT = "signatures"
_PAGE = 100
SEALED_CONTENT = SealedColumn(
    kind="signatures",
    table="signatures",
    column="content",
    keys={"id": "uuid"},
    context=lambda row: (_CONTEXT, row["id"]),
)
_COLUMNS = "id, user_id, kind, purpose, subject_id, digest, signed_at, content"


async def insert(tx: Tx, signature: Signature) -> None:
    content = msgspec.json.encode(signature.content).decode()
    values = structs.asdict(signature) | {
        "content": tx.keyring.seal(content, tx.tenant_id, _CONTEXT, signature.id)
    }
    values.pop("signed_at")
    await tx.execute(
        """
        INSERT INTO signatures (tenant_id, id, user_id, kind, purpose, subject_id, digest, content,
                                actor_kind, actor, signed_at)
        VALUES (:tenant, :id, :user_id, :kind, :purpose, :subject_id, :digest, :content,
                :actor_kind, :actor, :now)
        """,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
        **values,
    )


async def find(tx: Tx, id: UUID) -> Signature | None:
    return (await list_by_id(tx, [id])).get(id)


async def list_by_id(tx: Tx, ids: Sequence[UUID]) -> dict[UUID, Signature]:
    """Returns signatures by id."""
    rows = await tx.rows(
        f"SELECT {_COLUMNS} FROM signatures WHERE tenant_id = :tenant AND id = ANY(:ids)",  # noqa: S608
        ids=list(ids),
    )
    return {row["id"]: _open(tx, row) for row in rows}


async def list_newest(
    tx: Tx, purpose: str, subject_id: UUID, user_ids: Sequence[UUID]
) -> dict[UUID, Signature]:
    """Returns the newest signature of each of these people below a subject, by person."""
    rows = await tx.rows(
        f"""
        SELECT DISTINCT ON (user_id) {_COLUMNS} FROM signatures
        WHERE tenant_id = :tenant AND purpose = :purpose AND subject_id = :subject_id
          AND user_id = ANY(:user_ids)
        ORDER BY user_id, signed_at DESC, id
        """,  # noqa: S608
        purpose=purpose,
        subject_id=subject_id,
        user_ids=list(user_ids),
    )
    return {row["user_id"]: _open(tx, row) for row in rows}


def _open(tx: Tx, row: Mapping[str, Any]) -> Signature:
    sealed = row["content"]
    content = sealed and msgspec.json.decode(
        tx.keyring.open(sealed, tx.tenant_id, _CONTEXT, row["id"]), type=SignatureContent
    )
    return Signature(**{**row, "content": content})


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes the drawings and the evidence. That the person signed, and what, stays."""
    await tx.execute(
        """
        UPDATE signatures SET content = NULL
        WHERE tenant_id = :tenant AND user_id = :user_id AND content IS NOT NULL
        """,
        user_id=user_id,
    )


async def _list_own(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[ExportedSignature]]:
    after = UUID(int=0)
    while True:
        async with reader.transaction() as tx:
            rows = await tx.rows(
                f"""
                SELECT {_COLUMNS} FROM signatures
                WHERE tenant_id = :tenant AND user_id = :user_id AND id > :after ORDER BY id LIMIT :limit
                """,  # noqa: S608
                user_id=user_id,
                after=after,
                limit=_PAGE,
            )
            signatures = [_open(tx, row) for row in rows]
        yield [
            ExportedSignature(
                id=each.id,
                kind=each.kind,
                purpose=each.purpose,
                subject_id=each.subject_id,
                digest=each.digest,
                signed_at=each.signed_at,
                strokes=each.content.strokes if each.content else [],
            )
            for each in signatures
        ]
        if len(rows) < _PAGE:
            return
        after = rows[-1]["id"]


EXPORT = (ExportPart("signatures", ExportedSignature, _list_own),)
