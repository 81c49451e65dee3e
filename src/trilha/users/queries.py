"""The SQL of users."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.web.pagination import Page, fetch_page
from trilha.users.schema import Profile, Status, User, UserQuery

_COLUMNS = columns_of(User)
_SELECT = f"SELECT {_COLUMNS} FROM users WHERE tenant_id = :tenant"  # noqa: S608
SELECT_PROFILE = f"SELECT {columns_of(Profile)} FROM users WHERE tenant_id = :tenant"  # noqa: S608


async def list_page(tx: Tx, query: UserQuery) -> Page[User]:
    filters = {name: getattr(query, name) for name in ("status", "email", "role")}
    filters = {name: value for name, value in filters.items() if value is not None}
    where = [f"{name} = :{name}" for name in filters]
    return await fetch_page(tx, User, _SELECT, query, route="users", where=where, **filters)


async def get(tx: Tx, user_id: UUID) -> User:
    """Raises NotFound."""
    return _found(await tx.find(User, f"{_SELECT} AND id = :user_id", user_id=user_id))


async def get_for_update(tx: Tx, user_id: UUID) -> User:
    """The user, locked until the transaction ends. Raises NotFound."""
    return _found(await tx.find(User, f"{_SELECT} AND id = :user_id FOR UPDATE", user_id=user_id))


def _found(user: User | None) -> User:
    if user is None:
        raise NotFound("user_not_found")
    return user


async def list_profiles(tx: Tx, user_ids: Sequence[UUID]) -> list[Profile]:
    return await tx.list(Profile, f"{SELECT_PROFILE} AND id = ANY(:ids)", ids=user_ids)


async def insert(tx: Tx, values: Mapping[str, Any]) -> User | None:
    """None when the e-mail is taken."""
    names = list(values)
    return await tx.find(
        User,
        f"""
        INSERT INTO users (tenant_id, {", ".join(names)}, created_at, updated_at)
        VALUES (:tenant, {", ".join(f":{name}" for name in names)}, :now, :now)
        ON CONFLICT (tenant_id, email) DO NOTHING
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        **values,
    )


async def update(tx: Tx, user_id: UUID, values: Mapping[str, Any]) -> User | None:
    """None of a user who was erased."""
    return await tx.find(
        User,
        f"""
        UPDATE users SET {", ".join(f"{name} = :{name}" for name in values)}, updated_at = :now
        WHERE tenant_id = :tenant AND id = :user_id AND erased_at IS NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        user_id=user_id,
        **values,
    )


async def erase(tx: Tx, user_id: UUID) -> bool:
    """All but the keys, the role, what was earned and the times of the row. False where that is done."""
    return bool(
        await tx.execute(
            """
            UPDATE users
            SET email = id || '@erased.invalid', name = '[erased]', department = NULL, job_title = NULL,
                business_unit_id = NULL, employee_number = NULL, last_login_at = NULL, password_hash = NULL,
                must_change_password = false, cpf = NULL, cpf_sealed = NULL, phone = NULL,
                phone_sealed = NULL, birth_date = NULL, birth_date_sealed = NULL, cnh = NULL,
                cnh_sealed = NULL,
                status = 'INACTIVE', erased_at = :now, updated_at = :now
            WHERE tenant_id = :tenant AND id = :user_id AND erased_at IS NULL
            """,
            user_id=user_id,
        )
    )


async def find_by_email(tx: Tx, email: str) -> User | None:
    return await tx.find(User, f"{_SELECT} AND email = :email", email=email)


async def get_sealed_documents(tx: Tx, user_id: UUID) -> Mapping[str, bytes | None]:
    """The ciphertexts of a user's documents, by the name of the member."""
    (row,) = await tx.rows(
        """
        SELECT cpf_sealed AS cpf, phone_sealed AS phone, birth_date_sealed AS birth_date, cnh_sealed AS cnh
        FROM users WHERE tenant_id = :tenant AND id = :user_id
        """,
        user_id=user_id,
    )
    return dict(row)


async def change_status(tx: Tx, user_id: UUID, before: Status, after: Status) -> bool:
    """False when the user was not in the status `before`, or does not exist."""
    return bool(
        await tx.execute(
            """
            UPDATE users SET status = :after, updated_at = :now,
                             session_epoch = session_epoch + (:after <> 'ACTIVE')::int -- ends all sessions
            WHERE tenant_id = :tenant AND id = :user_id AND status = :before
            """,
            user_id=user_id,
            before=before,
            after=after,
        )
    )
