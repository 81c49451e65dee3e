"""SQL of saved views."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

import asyncpg

from trilha.core.database import Tx, columns_of
from trilha.feature import ExportPart, ExportReader
from trilha.platform.saved_views.schema import MAX_VIEWS, ExportedView, SavedView, SharedWith

_COLUMNS = columns_of(SavedView)
_MAX_SHARED = 30


async def list_of(tx: Tx, path: str, user_id: UUID, role: str) -> list[SavedView]:
    """Lists a person's views of a list by name, and those that others share with the person's role."""
    return await tx.list(
        SavedView,
        f"""
        (SELECT {_COLUMNS} FROM saved_views
         WHERE tenant_id = :tenant AND user_id = :user_id AND list = :path ORDER BY lower(name), id
         LIMIT :own_limit)
        UNION ALL
        (SELECT {_COLUMNS} FROM saved_views
         WHERE tenant_id = :tenant AND list = :path AND shared_with = :role AND user_id <> :user_id
         ORDER BY lower(name), id LIMIT :shared_limit)
        """,  # noqa: S608
        user_id=user_id,
        path=path,
        role=role,
        own_limit=MAX_VIEWS,
        shared_limit=_MAX_SHARED,
    )


async def find_own(tx: Tx, view_id: UUID, user_id: UUID) -> SavedView | None:
    return await tx.find(
        SavedView,
        f"SELECT {_COLUMNS} FROM saved_views WHERE tenant_id = :tenant AND id = :id AND user_id = :user_id",  # noqa: S608
        id=view_id,
        user_id=user_id,
    )


async def put(
    tx: Tx, user_id: UUID, path: str, name: str, query: str, shared_with: SharedWith | None
) -> bool:
    """Stores a view, in place of the person's view of this name. Returns False if the person has too many."""
    stored = await tx.execute(
        """
        INSERT INTO saved_views (tenant_id, user_id, list, name, query, shared_with, created_at)
        SELECT CAST(:tenant AS uuid), :user_id, :path, :name, :query, :shared_with, :now
        WHERE (SELECT count(*) FROM saved_views
               WHERE tenant_id = :tenant AND user_id = :user_id AND list = :path AND name <> :name) < :limit
        ON CONFLICT (tenant_id, user_id, list, name)
        DO UPDATE SET query = EXCLUDED.query, shared_with = EXCLUDED.shared_with
        RETURNING tenant_id
        """,
        user_id=user_id,
        path=path,
        name=name,
        query=query,
        shared_with=shared_with,
        limit=MAX_VIEWS,
    )
    return bool(stored)


async def update(tx: Tx, view_id: UUID, name: str, shared_with: SharedWith | None) -> bool:
    """Renames a view and changes with whom it is shared. Returns False if the person has the name already."""
    try:
        async with tx.savepoint():
            await tx.execute(
                """
                UPDATE saved_views SET name = :name, shared_with = :shared_with
                WHERE tenant_id = :tenant AND id = :id
                """,
                id=view_id,
                name=name,
                shared_with=shared_with,
            )
    except asyncpg.UniqueViolationError:
        return False
    return True


async def delete(tx: Tx, view_id: UUID) -> None:
    await tx.execute("DELETE FROM saved_views WHERE tenant_id = :tenant AND id = :id", id=view_id)


async def erase(tx: Tx, user_id: UUID) -> None:
    """Deletes a person's views."""
    await tx.execute(
        "DELETE FROM saved_views WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def _export(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[Any]]:
    async with reader.transaction() as tx:
        yield await tx.list(
            ExportedView,
            f"""
            SELECT {columns_of(ExportedView)} FROM saved_views
            WHERE tenant_id = :tenant AND user_id = :user_id ORDER BY created_at, id
            """,  # noqa: S608
            user_id=user_id,
        )


EXPORT = (ExportPart("saved_views", ExportedView, _export),)
