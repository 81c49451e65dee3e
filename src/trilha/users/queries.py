"""The SQL of users."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.web.pagination import Page, fetch_page
from trilha.users.schema import Profile, User, UserQuery

COLUMNS = ", ".join(User.__struct_fields__)
_ONE = f"SELECT {COLUMNS} FROM users WHERE tenant_id = :tenant"  # noqa: S608
PROFILE = "SELECT id, status, cpf, phone, birth_date, cnh FROM users WHERE tenant_id = :tenant"


async def list_page(tx: Tx, query: UserQuery) -> Page[User]:
    filters = {name: getattr(query, name) for name in ("status", "email", "role")}
    filters = {name: value for name, value in filters.items() if value is not None}
    where = [f"{name} = :{name}" for name in filters]
    return await fetch_page(tx, User, _ONE, query, route="users", where=where, **filters)


async def find(tx: Tx, user_id: UUID) -> User | None:
    return await tx.find(User, f"{_ONE} AND id = :user_id", user_id=user_id)


async def find_for_update(tx: Tx, user_id: UUID) -> User | None:
    return await tx.find(User, f"{_ONE} AND id = :user_id FOR UPDATE", user_id=user_id)


async def list_profiles(tx: Tx, user_ids: Sequence[UUID]) -> list[Profile]:
    return await tx.list(Profile, f"{PROFILE} AND id = ANY(:ids)", ids=user_ids)


async def insert(tx: Tx, values: Mapping[str, Any]) -> User | None:
    """None when the e-mail is taken."""
    names = list(values)
    return await tx.find(
        User,
        f"""
        INSERT INTO users (tenant_id, {", ".join(names)}, created_at, updated_at)
        VALUES (:tenant, {", ".join(f":{name}" for name in names)}, :now, :now)
        ON CONFLICT (tenant_id, email) DO NOTHING
        RETURNING {COLUMNS}
        """,  # noqa: S608
        **values,
    )


async def update(tx: Tx, user_id: UUID, values: Mapping[str, Any]) -> User:
    user = await tx.find(
        User,
        f"""
        UPDATE users SET {", ".join(f"{name} = :{name}" for name in values)}, updated_at = :now
        WHERE tenant_id = :tenant AND id = :user_id
        RETURNING {COLUMNS}
        """,  # noqa: S608
        user_id=user_id,
        **values,
    )
    assert user is not None
    return user


async def sealed_documents(tx: Tx, user_id: UUID) -> Mapping[str, bytes | None]:
    """The ciphertexts of a user's documents, by member."""
    (row,) = await tx.rows(
        """
        SELECT cpf_sealed AS cpf, phone_sealed AS phone, birth_date_sealed AS birth_date, cnh_sealed AS cnh
        FROM users WHERE tenant_id = :tenant AND id = :user_id
        """,
        user_id=user_id,
    )
    return dict(row)


async def move(tx: Tx, user_id: UUID, came_from: str, to: str) -> bool:
    """True when the user was in the first state and is now in the second."""
    return bool(
        await tx.execute(
            """
            UPDATE users SET status = :to, updated_at = :now
            WHERE tenant_id = :tenant AND id = :user_id AND status = :came_from
            """,
            user_id=user_id,
            came_from=came_from,
            to=to,
        )
    )


async def exists_by_email(tx: Tx, email: str) -> bool:
    found: bool = await tx.value(
        "SELECT EXISTS (SELECT FROM users WHERE tenant_id = :tenant AND email = :email)", email=email
    )
    return found
