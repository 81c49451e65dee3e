"""The SQL of SCIM groups."""

from collections.abc import Sequence
from uuid import UUID

import asyncpg

from trilha.access.scim.attributes import OF_GROUPS
from trilha.access.scim.conditions import Condition, id_of
from trilha.access.scim.errors import build_error
from trilha.access.scim.groups.schema import Membership, ScimGroup
from trilha.access.scim.paging import Page, Selection, fetch, order_of, types_of
from trilha.access.scim.parameters import ListRequest
from trilha.core.database import Tx

_COLUMNS = """
    g.id, s.external_id, g.name AS display_name, known.members, known.member_added_at,
    COALESCE(s.version, 0) AS version, g.created_at,
    GREATEST(g.updated_at, s.updated_at, known.member_added_at) AS modified_at
"""
_FROM = "learning_groups AS g LEFT JOIN scim_groups AS s ON s.tenant_id = :tenant AND s.group_id = g.id"
_MEMBER_COUNTS = """
    CROSS JOIN LATERAL (
        SELECT count(*) AS members, max(member.added_at) AS member_added_at
        FROM learning_group_members AS member
        WHERE member.tenant_id = :tenant AND member.group_id = g.id) AS known
"""
_WHERE = "WHERE g.tenant_id = :tenant"
_ONE = f"SELECT {_COLUMNS} FROM {_FROM} {_MEMBER_COUNTS} {_WHERE} AND g.id = :group_id"  # noqa: S608
_USUAL = ("g.created_at", "g.id")


async def list_page(tx: Tx, request: ListRequest, condition: Condition | None) -> Page:
    """Returns a page of groups. Raises ScimError."""
    where, params = _WHERE, {}
    if condition is not None:
        where, params = f"{_WHERE} AND {condition.sql}", dict(condition.params)
        if "id" in condition.equal:
            where, params["key_id"] = f"{where} AND g.id = :key_id", id_of(condition.equal["id"])
        if "externalId" in condition.equal:
            where = f"{where} AND s.external_id = :key_external_id"
            params["key_external_id"] = condition.equal["externalId"]

    async def count() -> int:
        total: int = await tx.value(f"SELECT count(*) FROM {_FROM} {where}", **params)  # noqa: S608
        return total

    return await fetch(
        tx,
        request,
        Selection(
            name="groups",
            kind=ScimGroup,
            columns=_COLUMNS,
            source=f"{_FROM} {_MEMBER_COUNTS} {where}",
            params=params,
            order=order_of(request, OF_GROUPS, _USUAL, "g.id"),
            types=types_of(request, OF_GROUPS, ("timestamptz", "uuid")),
            count=count,
        ),
    )


async def find(tx: Tx, group_id: UUID) -> ScimGroup | None:
    return await tx.find(ScimGroup, _ONE, group_id=group_id)


async def lock(tx: Tx, group_id: UUID) -> ScimGroup | None:
    """Returns the group, locked until the transaction ends."""
    rows = await tx.rows(
        "SELECT FROM learning_groups WHERE tenant_id = :tenant AND id = :group_id FOR UPDATE",
        group_id=group_id,
    )
    # Read after taking the lock, so that we see the previous holder's writes.
    return await find(tx, group_id) if rows else None


async def members_of(tx: Tx, group_ids: Sequence[UUID]) -> list[Membership]:
    return await tx.list(
        Membership,
        """
        SELECT m.group_id, m.user_id FROM learning_group_members AS m
        WHERE m.tenant_id = :tenant AND m.group_id = ANY(:group_ids)
          AND NOT EXISTS (
              SELECT FROM scim_users AS s
              WHERE s.tenant_id = m.tenant_id AND s.user_id = m.user_id AND s.deleted_at IS NOT NULL)
        ORDER BY m.added_at, m.user_id
        """,
        group_ids=group_ids,
    )


async def member_ids(tx: Tx, group_id: UUID) -> set[UUID]:
    """Returns all members, including those that the provider does not see."""
    rows = await tx.rows(
        "SELECT user_id FROM learning_group_members WHERE tenant_id = :tenant AND group_id = :group_id",
        group_id=group_id,
    )
    return {row["user_id"] for row in rows}


async def save(tx: Tx, group_id: UUID, external_id: str | None) -> None:
    """Stores the provider's id and increments the version. Raises ScimError (uniqueness)."""
    try:
        await tx.execute(
            """
            INSERT INTO scim_groups AS s (tenant_id, group_id, external_id, created_at, updated_at)
            VALUES (:tenant, :group_id, :external_id, :now, :now)
            ON CONFLICT (tenant_id, group_id) DO UPDATE
            SET external_id = excluded.external_id, version = s.version + 1, updated_at = excluded.updated_at
            """,
            group_id=group_id,
            external_id=external_id,
        )
    except asyncpg.UniqueViolationError:
        raise build_error("uniqueness", "Another group already has this externalId.") from None
