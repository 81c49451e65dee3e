"""The SQL of uploaded certificates."""

import base64
from collections.abc import AsyncIterator, Sequence
from typing import Literal
from uuid import UUID, uuid4

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound
from trilha.core.lists import Condition, List, Walk
from trilha.core.resealing.columns import SealedColumn
from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader
from trilha.people.users.lists import in_reach

State = Literal["WAITING", "ACCEPTED", "REFUSED"]
_CONTEXT = "external_certificates"
SEALED_CONTENT = SealedColumn(
    kind="certificates of training elsewhere",
    table="external_certificates",
    column="content",
    keys={"id": "uuid"},
    context=lambda row: (_CONTEXT, row["id"]),
)
_STATE = "CASE WHEN accepted THEN 'ACCEPTED' WHEN accepted IS NULL THEN 'WAITING' ELSE 'REFUSED' END"


class UploadedCertificate(Struct, frozen=True):
    """A certificate as its learner and the export of personal data see it."""

    id: UUID
    course_id: UUID
    completed_on: str
    issuer: str
    state: State
    reason: str | None
    created_at: Timestamp


class ListedCertificate(Struct, frozen=True):
    """A certificate that waits for an answer."""

    id: UUID
    user_id: UUID
    user_name: str
    course_id: UUID
    course_title: str
    completed_on: str
    issuer: str
    created_at: Timestamp


WAITING = List(
    name="external-certificates",
    table="external_certificates",
    kind=ListedCertificate,
    columns={
        "user_name": "(SELECT name FROM users WHERE tenant_id = :tenant AND id = row.user_id)",
        "course_title": "(SELECT title FROM courses WHERE tenant_id = :tenant AND id = row.course_id)",
    },
    default_walk=Walk(keys=("created_at",)),
    always=(Condition(where="row.accepted IS NULL", leads=("created_at",)),),
    reach=lambda reach: in_reach(reach, "user_id"),
)


class File(Struct, frozen=True):
    media_type: str
    content: bytes


async def insert(tx: Tx, user_id: UUID, course_id: UUID, completed_on: str, issuer: str, file: File) -> None:
    """Raises Conflict (external_certificate_waits)."""
    id = uuid4()
    content = base64.b64encode(file.content).decode()
    inserted = await tx.execute(
        """
        INSERT INTO external_certificates (tenant_id, id, user_id, course_id, completed_on, issuer,
                                           media_type, content, created_at)
        VALUES (:tenant, :id, :user_id, :course_id, :completed_on, :issuer, :media_type, :content, :now)
        ON CONFLICT (tenant_id, user_id, course_id) WHERE accepted IS NULL DO NOTHING
        """,
        id=id,
        user_id=user_id,
        course_id=course_id,
        completed_on=completed_on,
        issuer=issuer,
        media_type=file.media_type,
        content=tx.keyring.seal(content, tx.tenant_id, _CONTEXT, id),
    )
    if not inserted:
        raise Conflict("external_certificate_waits")


async def read_file(tx: Tx, id: UUID) -> File:
    """Raises NotFound."""
    rows = await tx.rows(
        "SELECT media_type, content FROM external_certificates WHERE tenant_id = :tenant AND id = :id", id=id
    )
    if not rows:
        raise NotFound("external_certificate_not_found")
    opened = tx.keyring.open(rows[0]["content"], tx.tenant_id, _CONTEXT, id)
    return File(rows[0]["media_type"], base64.b64decode(opened))


async def find_last(tx: Tx, user_id: UUID, course_id: UUID) -> UploadedCertificate | None:
    """Returns the newest certificate that a person uploaded for a course."""
    return await tx.find(
        UploadedCertificate,
        f"""
        SELECT id, course_id, completed_on, issuer, {_STATE} AS state, reason, created_at
        FROM external_certificates
        WHERE tenant_id = :tenant AND user_id = :user_id AND course_id = :course_id
        ORDER BY created_at DESC, id LIMIT 1
        """,  # noqa: S608
        user_id=user_id,
        course_id=course_id,
    )


async def answer(tx: Tx, id: UUID, *, accepted: bool, reason: str | None) -> None:
    """Raises NotFound if it was answered already."""
    answered = await tx.execute(
        """
        UPDATE external_certificates SET accepted = :accepted, reason = :reason, answered_at = :now
        WHERE tenant_id = :tenant AND id = :id AND accepted IS NULL
        """,
        id=id,
        accepted=accepted,
        reason=reason,
    )
    if not answered:
        raise NotFound("external_certificate_not_found")


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes the certificates of a person, with their files."""
    await tx.execute(
        "DELETE FROM external_certificates WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def _list_uploaded(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[UploadedCertificate]]:
    """Oldest first, without the files."""
    async with reader.transaction() as tx:
        yield await tx.list(
            UploadedCertificate,
            f"""
            SELECT id, course_id, completed_on, issuer, {_STATE} AS state, reason, created_at
            FROM external_certificates WHERE tenant_id = :tenant AND user_id = :user_id
            ORDER BY created_at, id
            """,  # noqa: S608
            user_id=user_id,
        )


EXPORT = (ExportPart("external_certificates", UploadedCertificate, _list_uploaded),)
