"""The SQL of documents."""

from typing import Any
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx, columns_of
from trilha.training.xapi.identifiers import NIL
from trilha.training.xapi.schema import Document, DocumentName

_DOCUMENT = columns_of(Document)
_ONE = """
    tenant_id = :tenant AND kind = :kind AND activity = :activity AND agent = :agent
    AND registration = :registration AND name = :name
"""


class Place(Struct, frozen=True):
    """Where documents are. Without a `registration`, a list has those of every registration."""

    kind: str
    activity: UUID = NIL
    agent: UUID = NIL
    registration: UUID | None = None

    def bind(self) -> dict[str, Any]:
        return structs.asdict(self) | {"registration": self.registration or NIL}


async def find(tx: Tx, place: Place, name: str) -> Document | None:
    return await tx.find(
        Document,
        f"SELECT {_DOCUMENT} FROM xapi_documents WHERE {_ONE}",  # noqa: S608
        **place.bind(),
        name=name,
    )


async def lock(tx: Tx, place: Place, name: str) -> Document | None:
    """Finds a document that no other transaction changes until this one ends."""
    return await tx.find(
        Document,
        f"SELECT {_DOCUMENT} FROM xapi_documents WHERE {_ONE} FOR UPDATE",  # noqa: S608
        **place.bind(),
        name=name,
    )


async def insert(tx: Tx, place: Place, name: str, document: Document) -> bool:
    """Returns False if the document exists, because another transaction has just inserted it."""
    return bool(
        await tx.execute(
            """
            INSERT INTO xapi_documents (tenant_id, kind, activity, agent, registration, name, content_type,
                                        content, etag, updated)
            VALUES (:tenant, :kind, :activity, :agent, :registration, :name, :content_type, :content, :etag,
                    :updated)
            ON CONFLICT DO NOTHING
            """,
            **place.bind(),
            name=name,
            **structs.asdict(document),
        )
    )


async def update(tx: Tx, place: Place, name: str, document: Document) -> None:
    await tx.execute(
        f"""
        UPDATE xapi_documents
        SET content_type = :content_type, content = :content, etag = :etag, updated = :updated
        WHERE {_ONE}
        """,  # noqa: S608
        **place.bind(),
        name=name,
        **structs.asdict(document),
    )


async def delete(tx: Tx, place: Place, name: str) -> None:
    await tx.execute(f"DELETE FROM xapi_documents WHERE {_ONE}", **place.bind(), name=name)  # noqa: S608


async def delete_all(tx: Tx, place: Place) -> None:
    bound = place.bind()
    only = "" if place.registration is None else "AND registration = :registration"
    if place.registration is None:
        bound.pop("registration")
    await tx.execute(
        f"""
        DELETE FROM xapi_documents
        WHERE tenant_id = :tenant AND kind = :kind AND activity = :activity AND agent = :agent {only}
        """,  # noqa: S608
        **bound,
    )


async def list_names(tx: Tx, place: Place, since: int | None, limit: int) -> list[DocumentName]:
    bound = place.bind()
    only = "" if place.registration is None else "AND registration = :registration"
    if place.registration is None:
        bound.pop("registration")
    return await tx.list(
        DocumentName,
        f"""
        SELECT name, max(updated) AS updated FROM xapi_documents
        WHERE tenant_id = :tenant AND kind = :kind AND activity = :activity AND agent = :agent {only}
          AND updated > :since
        GROUP BY name ORDER BY name LIMIT :limit
        """,  # noqa: S608
        **bound,
        since=since if since is not None else -(2**62),
        limit=limit,
    )
