"""The SQL of learning groups."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.core.lists import get_row
from trilha.core.types import Timestamp
from trilha.people.learning_groups.lists import GROUPS
from trilha.people.learning_groups.schema import LearningGroup, NewLearningGroup


async def get(tx: Tx, group_id: UUID) -> LearningGroup:
    """Raises NotFound."""
    return await get_row(tx, GROUPS, group_id, missing="learning_group_not_found")


async def insert(tx: Tx, new: NewLearningGroup) -> UUID | None:
    """Returns None if the name is taken."""
    group_id: UUID | None = await tx.value(
        """
        INSERT INTO learning_groups (tenant_id, name, description, created_at, updated_at)
        VALUES (:tenant, :name, :description, :now, :now)
        ON CONFLICT (tenant_id, name) DO NOTHING RETURNING id
        """,
        name=new.name,
        description=new.description,
    )
    return group_id


async def update(tx: Tx, group_id: UUID, values: Mapping[str, Any]) -> None:
    """Raises Conflict (learning_group_exists)."""
    try:
        await tx.execute(
            f"""
            UPDATE learning_groups SET {", ".join(f"{name} = :{name}" for name in values)}, updated_at = :now
            WHERE tenant_id = :tenant AND id = :group_id
            """,  # noqa: S608
            group_id=group_id,
            **values,
        )
    except asyncpg.UniqueViolationError:
        raise Conflict("learning_group_exists") from None


async def delete(tx: Tx, group_id: UUID) -> bool:
    sql = "DELETE FROM learning_groups WHERE tenant_id = :tenant AND id = :group_id"
    return bool(await tx.execute(sql, group_id=group_id))


async def add_members(tx: Tx, group_id: UUID, user_ids: Sequence[UUID]) -> int:
    """Returns the number of new members; unknown ids are ignored."""
    return await tx.execute(
        """
        INSERT INTO learning_group_members (tenant_id, group_id, user_id, added_at)
        SELECT :tenant, :group_id, id, :now FROM users
        WHERE tenant_id = :tenant AND id = ANY(:user_ids) ORDER BY id FOR KEY SHARE
        ON CONFLICT DO NOTHING
        """,
        group_id=group_id,
        user_ids=user_ids,
    )


async def remove_members(tx: Tx, group_id: UUID, user_ids: Sequence[UUID]) -> int:
    """Returns how many people were members."""
    return await tx.execute(
        """
        DELETE FROM learning_group_members
        WHERE tenant_id = :tenant AND group_id = :group_id AND user_id = ANY(:user_ids)
        """,
        group_id=group_id,
        user_ids=user_ids,
    )


async def list_memberships(tx: Tx, group_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, Timestamp]:
    """Returns since when these people are members, without those who are not. Locks the memberships."""
    rows = await tx.rows(
        """
        SELECT user_id, added_at FROM learning_group_members
        WHERE tenant_id = :tenant AND group_id = :group_id AND user_id = ANY(:user_ids)
        ORDER BY user_id FOR UPDATE
        """,
        group_id=group_id,
        user_ids=user_ids,
    )
    return {row["user_id"]: row["added_at"] for row in rows}


async def restore_members(tx: Tx, group_id: UUID, added_at: Mapping[UUID, Timestamp]) -> int:
    """Makes people members again as of earlier times. Returns how many were not members."""
    return await tx.execute(
        """
        INSERT INTO learning_group_members (tenant_id, group_id, user_id, added_at)
        SELECT :tenant, :group_id, person.id, member.added_at
        FROM unnest(:user_ids::uuid[], :times::timestamptz[]) AS member (user_id, added_at)
        JOIN users AS person ON person.tenant_id = :tenant AND person.id = member.user_id
        ORDER BY person.id FOR KEY SHARE OF person
        ON CONFLICT DO NOTHING
        RETURNING tenant_id
        """,
        group_id=group_id,
        user_ids=list(added_at),
        times=list(added_at.values()),
    )
