"""The SQL of SCIM users."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import asyncpg

from trilha.access.scim.attributes import CUSTOM_FIELDS, HIRE_DATE, LAST_MODIFIED, OF_USERS, USER_NAME
from trilha.access.scim.conditions import Condition, id_of, user_name_key
from trilha.access.scim.errors import build_error
from trilha.access.scim.paging import Page, Selection, fetch, order_of, types_of
from trilha.access.scim.parameters import ListRequest
from trilha.access.scim.users.schema import LinkedCounts, NameOwner, ScimUser, StoredUser
from trilha.core.database import Tx, violates
from trilha.people.users.schema import User

_SQL = {
    "id": "u.id",
    "role": "u.role",
    "active": OF_USERS["active"].sql,
    "user_name": USER_NAME,
    "external_id": OF_USERS["externalid"].sql,
    "formatted": OF_USERS["name.formatted"].sql,
    "given_name": OF_USERS["name.givenname"].sql,
    "family_name": OF_USERS["name.familyname"].sql,
    "display_name": OF_USERS["displayname"].sql,
    "title": OF_USERS["title"].sql,
    "emails": OF_USERS["emails"].sql,
    "employee_number": OF_USERS["employeenumber"].sql,
    "cost_center": OF_USERS["costcenter"].sql,
    "organization": OF_USERS["organization"].sql,
    "division": OF_USERS["division"].sql,
    "department": OF_USERS["department"].sql,
    "manager": OF_USERS["manager"].sql,
    "hire_date": HIRE_DATE,
    "custom_fields": CUSTOM_FIELDS,
    "version": "COALESCE(s.version, 0)",
    "created_at": "u.created_at",
    "modified_at": LAST_MODIFIED,
}
_COLUMNS = ", ".join(f"{_SQL[name]} AS {name}" for name in ScimUser.__struct_fields__)
_SOURCE = """
    users AS u LEFT JOIN scim_users AS s ON s.tenant_id = u.tenant_id AND s.user_id = u.id
    WHERE u.tenant_id = :tenant AND u.erased_at IS NULL AND s.deleted_at IS NULL
"""
_ONE = f"SELECT {_COLUMNS} FROM {_SOURCE} AND u.id = :user_id"  # noqa: S608
_USUAL = ("u.created_at", "u.id")
_FROM_LINKED = "FROM scim_users WHERE tenant_id = :tenant AND deleted_at IS NULL AND"
# Conditions that use an index, applied before the whole filter.
_NARROWER = {
    "userName": f"""u.id = ANY(ARRAY(
        SELECT user_id {_FROM_LINKED} user_name_key = :key_user_name
        UNION ALL SELECT id FROM users WHERE tenant_id = :tenant AND email = :key_user_name))""",  # noqa: S608
    "externalId": f"u.id = ANY(ARRAY(SELECT user_id {_FROM_LINKED} external_id = :key_external_id))",
    "id": "u.id = :key_id",
}


def _narrow(condition: Condition) -> tuple[str, dict[str, Any]]:
    equal = condition.equal
    if "id" in equal:
        key = id_of(equal["id"])
        return ("false", {}) if key is None else (_NARROWER["id"], {"key_id": key})
    if "userName" in equal:
        return _NARROWER["userName"], {"key_user_name": user_name_key(equal["userName"])}
    if "externalId" in equal:
        return _NARROWER["externalId"], {"key_external_id": equal["externalId"]}
    return "true", {}


async def list_page(tx: Tx, request: ListRequest, condition: Condition | None) -> Page:
    """Returns a page of users. Raises ScimError."""
    source = _SOURCE
    params: dict[str, Any] = {}
    if condition is not None:
        narrower, params = _narrow(condition)
        source = f"{_SOURCE} AND {narrower} AND {condition.sql}"
        params = {**params, **condition.params}

    async def count() -> int:
        total: int = await tx.value(f"SELECT count(*) FROM {source}", **params)  # noqa: S608
        return total

    order = order_of(request, OF_USERS, _USUAL, "u.id")
    types = types_of(request, OF_USERS, ("timestamptz", "uuid"))
    return await fetch(
        tx,
        request,
        Selection(
            name="users",
            kind=ScimUser,
            columns=_COLUMNS,
            source=source,
            params=params,
            order=order,
            types=types,
            count=count if condition is not None else lambda: count_all(tx),
        ),
    )


async def count_all(tx: Tx) -> int:
    """Counts without a join, because every page contains the total, even that of a large tenant."""
    total: int = await tx.value(
        """
        SELECT (SELECT count(*) FROM users WHERE tenant_id = :tenant AND erased_at IS NULL)
             - (SELECT count(*) FROM scim_users WHERE tenant_id = :tenant AND deleted_at IS NOT NULL)
        """
    )
    return total


async def find(tx: Tx, user_id: UUID) -> ScimUser | None:
    return await tx.find(ScimUser, _ONE, user_id=user_id)


async def find_stored(tx: Tx, user_id: UUID) -> StoredUser | None:
    sql = f"SELECT {_COLUMNS}, s.document FROM {_SOURCE} AND u.id = :user_id"  # noqa: S608
    return await tx.find(StoredUser, sql, user_id=user_id)


async def find_by_name(tx: Tx, user_name: str) -> NameOwner | None:
    """Returns the owner of an account name: a linked user, or one created elsewhere with this e-mail
    address.
    """
    return await tx.find(
        NameOwner,
        """
        SELECT u.id AS user_id, s.external_id, s.user_id IS NOT NULL AS is_linked,
               s.deleted_at IS NOT NULL AS is_deleted, u.status = 'ACTIVE' AS is_active
        FROM users AS u LEFT JOIN scim_users AS s ON s.tenant_id = u.tenant_id AND s.user_id = u.id
        WHERE u.tenant_id = :tenant AND u.id = ANY(ARRAY(
            SELECT user_id FROM scim_users WHERE tenant_id = :tenant AND user_name_key = :key
            UNION ALL SELECT id FROM users WHERE tenant_id = :tenant AND email = :key))
          AND COALESCE(s.user_name_key, u.email) = :key
        ORDER BY s.user_id IS NULL, u.id LIMIT 1
        """,
        key=user_name_key(user_name),
    )


async def find_document(tx: Tx, user_id: UUID) -> dict[str, Any] | None:
    document: dict[str, Any] | None = await tx.value(
        "SELECT document FROM scim_users WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
    return document


async def is_named_by_another(tx: Tx, user_id: UUID, user_name: str) -> bool:
    owner = await find_by_name(tx, user_name)
    return owner is not None and owner.user_id != user_id


async def save(tx: Tx, user_id: UUID, values: Mapping[str, Any]) -> None:
    """Stores what the provider sent. Raises ScimError (uniqueness)."""
    try:
        await tx.execute(
            """
            INSERT INTO scim_users AS s (tenant_id, user_id, user_name, user_name_key, external_id, document,
                                         seen_name, seen_email, created_at, updated_at)
            VALUES (:tenant, :user_id, :user_name, :user_name_key, :external_id, :document, :seen_name,
                    :seen_email, :now, :now)
            ON CONFLICT (tenant_id, user_id) DO UPDATE
            SET user_name = excluded.user_name, user_name_key = excluded.user_name_key,
                external_id = excluded.external_id, document = excluded.document,
                seen_name = excluded.seen_name, seen_email = excluded.seen_email, deleted_at = NULL,
                version = s.version + 1, updated_at = excluded.updated_at
            """,
            user_id=user_id,
            user_name_key=user_name_key(values["user_name"]),
            **values,
        )
    except asyncpg.UniqueViolationError as error:
        name = "externalId" if violates(error, "scim_users_external_id") else "userName"
        raise build_error("uniqueness", f"Another user already has this {name}.") from None


async def mark_deleted(tx: Tx, user: User) -> None:
    """Marks the user as deleted. A user who was never linked gets the e-mail address as account name."""
    try:
        await tx.execute(
            """
            INSERT INTO scim_users AS s (tenant_id, user_id, user_name, user_name_key, document, seen_name,
                                         seen_email, created_at, updated_at, deleted_at)
            VALUES (:tenant, :user_id, :user_name, :user_name_key, '{}'::jsonb, :name, :user_name, :now, :now,
                    :now)
            ON CONFLICT (tenant_id, user_id) DO UPDATE
            SET deleted_at = :now, updated_at = :now, version = s.version + 1
            """,
            user_id=user.id,
            user_name=user.email,
            user_name_key=user_name_key(user.email),
            name=user.name,
        )
    except asyncpg.UniqueViolationError:
        raise build_error("uniqueness", "Another user already has this userName.") from None


async def count_linked(tx: Tx) -> LinkedCounts:
    """Returns how many users and groups a provider manages."""
    counts = await tx.find(
        LinkedCounts,
        """
        SELECT (SELECT count(*) FROM scim_users WHERE tenant_id = :tenant AND deleted_at IS NULL) AS users,
               (SELECT count(*) FROM scim_groups WHERE tenant_id = :tenant) AS groups
        """,
    )
    assert counts is not None
    return counts
