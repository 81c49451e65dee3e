"""The SQL of users."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg

from trilha.core.database import Tx, columns_of, violates
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.people.users.documents import Cpf, cpf_fingerprint
from trilha.people.users.schema import PersonWithFields, Profile, Status, User
from trilha.platform.mail.schema import Recipient

_COLUMNS = columns_of(User)
_SELECT = f"SELECT {_COLUMNS} FROM users WHERE tenant_id = :tenant"  # noqa: S608
SELECT_PROFILE = f"SELECT {columns_of(Profile)} FROM users WHERE tenant_id = :tenant"  # noqa: S608


async def list_by_cpf(tx: Tx, cpf: Cpf) -> list[User]:
    """Returns the owner of a CPF, then users who had it before CPFs had to be unique."""
    return await tx.list(
        User,
        f"""
        {_SELECT} AND cpf_fingerprint = :fingerprint AND NOT cpf_shared
        UNION ALL
        {_SELECT} AND cpf_fingerprint = :fingerprint AND cpf_shared
        ORDER BY created_at DESC, id DESC LIMIT 100
        """,
        fingerprint=cpf_fingerprint(tx, cpf),
    )


async def get(tx: Tx, user_id: UUID) -> User:
    """Raises NotFound."""
    return _require(await tx.find(User, f"{_SELECT} AND id = :user_id", user_id=user_id))


async def get_for_update(tx: Tx, user_id: UUID) -> User:
    """Returns the user, locked until the transaction ends. Raises NotFound."""
    return _require(await tx.find(User, f"{_SELECT} AND id = :user_id FOR UPDATE", user_id=user_id))


def _require(user: User | None) -> User:
    if user is None:
        raise NotFound("user_not_found")
    return user


async def list_profiles(tx: Tx, user_ids: Sequence[UUID]) -> list[Profile]:
    return await tx.list(Profile, f"{SELECT_PROFILE} AND id = ANY(:ids)", ids=user_ids)


# The types of array parameters that are not text.
TYPES = {
    "id": "uuid",
    "business_unit_id": "uuid",
    "must_change_password": "boolean",
    "invitation_due": "boolean",
    "invitation_limited": "boolean",
    "email_changed_at": "timestamptz",
    "cpf_shared": "boolean",
    "address_unconfirmed": "boolean",
    "cpf_fingerprint": "bytea",
    "cnh": "jsonb",
    "custom_fields": "jsonb",
    **{f"{name}_sealed": "bytea" for name in ("cpf", "phone", "birth_date", "cnh", "custom_fields")},
}


async def insert(tx: Tx, values: Mapping[str, Any]) -> User | None:
    """Returns None if the e-mail address or the CPF is taken. Raises Invalid (unknown_business_unit)."""
    inserted = await insert_many(tx, [values])
    return inserted[0] if inserted else None


async def insert_many(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> list[User]:
    """Inserts rows that have the same columns, and returns those whose e-mail address and CPF were free."""
    if not rows:
        return []
    names = list(rows[0])
    # The same order in every transaction, so that two of them with the same people cannot deadlock.
    ordered = sorted(rows, key=lambda row: str(row["email"]))
    try:
        return await tx.list(
            User,
            f"""
            INSERT INTO users (tenant_id, {", ".join(names)}, created_at, updated_at)
            SELECT :tenant, new.*, :now, :now
            FROM unnest({", ".join(f":{name}::{TYPES.get(name, 'text')}[]" for name in names)}) AS new
            ON CONFLICT DO NOTHING RETURNING {_COLUMNS}
            """,  # noqa: S608
            **{name: [row[name] for row in ordered] for name in names},
        )
    except asyncpg.ForeignKeyViolationError:
        raise invalid("business_unit_id", "unknown_business_unit") from None


async def has_email(tx: Tx, email: str) -> bool:
    sql = "SELECT EXISTS (SELECT FROM users WHERE tenant_id = :tenant AND email = :email)"
    return bool(await tx.value(sql, email=email))


async def find_owner_of_cpf(tx: Tx, fingerprint: bytes) -> UUID | None:
    """Returns the user that owns this CPF, or None."""
    owner: UUID | None = await tx.value(
        """
        SELECT id FROM users WHERE tenant_id = :tenant AND cpf_fingerprint = :fingerprint AND NOT cpf_shared
        """,
        fingerprint=fingerprint,
    )
    return owner


async def update(tx: Tx, user_id: UUID, values: Mapping[str, Any]) -> User:
    """Updates an existing user.

    Raises Conflict (email_exists, cpf_exists, user_erased) or Invalid (unknown_business_unit).
    """
    if not {"email", "cpf_fingerprint"} & values.keys():
        return await _update(tx, user_id, values)
    while True:
        try:
            async with tx.savepoint():  # After an error, we still query the CPF's owner.
                return await _update(tx, user_id, values)
        except asyncpg.UniqueViolationError as error:
            if not violates(error, "users_cpf"):
                raise Conflict("email_exists") from None
        # If the owner has given up the CPF meanwhile, we try again.
        await check_cpf_is_free(tx, values["cpf_fingerprint"])


async def check_cpf_is_free(tx: Tx, fingerprint: bytes) -> None:
    """Raises Conflict (cpf_exists), with the id of the user that has this CPF."""
    if owner := await find_owner_of_cpf(tx, fingerprint):
        raise Conflict("cpf_exists", existing_user_id=owner)


async def _update(tx: Tx, user_id: UUID, values: Mapping[str, Any]) -> User:
    try:
        user = await tx.find(
            User,
            f"""
            UPDATE users SET {", ".join(f"{name} = :{name}" for name in values)}, updated_at = :now
            WHERE tenant_id = :tenant AND id = :user_id AND erased_at IS NULL
            RETURNING {_COLUMNS}
            """,  # noqa: S608
            user_id=user_id,
            **values,
        )
    except asyncpg.ForeignKeyViolationError:
        raise invalid("business_unit_id", "unknown_business_unit") from None
    if user is None:
        raise Conflict("user_erased")
    return user


async def erase(tx: Tx, user_id: UUID) -> bool:
    """Overwrites the row, except keys, role, XP and times. Returns False if it is already erased."""
    return bool(
        await tx.execute(
            """
            UPDATE users
            SET email = id || '@erased.invalid', name = '[erased]', department = NULL, job_title = NULL,
                business_unit_id = NULL, employee_number = NULL, hire_date = NULL, last_login_at = NULL,
                custom_fields = '{}', custom_fields_sealed = NULL,
                password_hash = NULL,
                must_change_password = false, cpf = NULL, cpf_sealed = NULL, phone = NULL,
                phone_sealed = NULL, birth_date = NULL, birth_date_sealed = NULL, cnh = NULL,
                cnh_sealed = NULL, cpf_fingerprint = NULL, cpf_shared = false, invitation_due = false,
                locale = NULL, session_epoch = session_epoch + 1, address_unconfirmed = false,
                email_changed_at = NULL, invitation_limited = false,
                status = 'INACTIVE', erased_at = :now, updated_at = :now
            WHERE tenant_id = :tenant AND id = :user_id AND erased_at IS NULL
            """,
            user_id=user_id,
        )
    )


async def is_erased(tx: Tx, user_id: UUID) -> bool:
    """The user must exist."""
    sql = "SELECT erased_at IS NOT NULL FROM users WHERE tenant_id = :tenant AND id = :user_id"
    return bool(await tx.value(sql, user_id=user_id))


async def is_address_unconfirmed(tx: Tx, user_id: UUID) -> bool:
    sql = "SELECT address_unconfirmed FROM users WHERE tenant_id = :tenant AND id = :user_id"
    return bool(await tx.value(sql, user_id=user_id))


async def forget_password(tx: Tx, user_id: UUID) -> bool:
    """Removes the person's password and ends their sessions. Returns False if there was no password."""
    return bool(
        await tx.execute(
            """
            UPDATE users SET password_hash = NULL, must_change_password = false,
                             session_epoch = session_epoch + 1
            WHERE tenant_id = :tenant AND id = :user_id AND password_hash IS NOT NULL
            """,
            user_id=user_id,
        )
    )


async def confirm_address(tx: Tx, user_id: UUID) -> None:
    await tx.execute(
        "UPDATE users SET address_unconfirmed = false WHERE tenant_id = :tenant AND id = :user_id",
        user_id=user_id,
    )


async def find_by_email(tx: Tx, email: str) -> User | None:
    return await tx.find(User, f"{_SELECT} AND email = :email", email=email)


async def get_sealed_documents(tx: Tx, user_id: UUID) -> Mapping[str, bytes | None]:
    """Returns a user's sealed documents and custom fields by member name."""
    (row,) = await tx.rows(
        """
        SELECT cpf_sealed AS cpf, phone_sealed AS phone, birth_date_sealed AS birth_date, cnh_sealed AS cnh,
               custom_fields_sealed AS custom_fields
        FROM users WHERE tenant_id = :tenant AND id = :user_id
        """,
        user_id=user_id,
    )
    return dict(row)


async def lock_people_with_field(tx: Tx, key: str, limit: int) -> list[PersonWithFields]:
    """Locks the next people that have a value of this custom field."""
    return await tx.list(
        PersonWithFields,
        """
        SELECT id, custom_fields, custom_fields_sealed FROM users
        WHERE tenant_id = :tenant AND erased_at IS NULL AND custom_fields ? :key
        ORDER BY id LIMIT :limit FOR UPDATE
        """,
        key=key,
        limit=limit,
    )


async def change_status(tx: Tx, user_id: UUID, before: Status, after: Status) -> bool:
    """Returns False if the user does not have the status `before`, or does not exist."""
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


async def lock_statuses(tx: Tx, user_ids: Sequence[UUID]) -> dict[UUID, Status]:
    """Returns the statuses of these users, and locks them in one order until the transaction ends."""
    rows = await tx.rows(
        "SELECT id, status FROM users WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR UPDATE",
        ids=user_ids,
    )
    return {row["id"]: row["status"] for row in rows}


async def mark_invited(tx: Tx, user_id: UUID, *, limited: bool) -> bool:
    """Schedules an invitation; `limited` ones count against the daily limit. Returns False if the user has a
    password.
    """
    return bool(
        await tx.execute(
            """
            UPDATE users SET invitation_due = true, invitation_limited = :limited
            WHERE tenant_id = :tenant AND id = :user_id AND password_hash IS NULL
            """,
            user_id=user_id,
            limited=limited,
        )
    )


async def end_sessions(tx: Tx, user_id: UUID) -> None:
    """Starts a new session epoch; sessions of older epochs are no longer valid."""
    await tx.execute(
        "UPDATE users SET session_epoch = session_epoch + 1 WHERE tenant_id = :tenant AND id = :user_id",
        user_id=user_id,
    )


async def end_sessions_of(tx: Tx, user_ids: Sequence[UUID]) -> None:
    await tx.execute(
        "UPDATE users SET session_epoch = session_epoch + 1 WHERE tenant_id = :tenant AND id = ANY(:ids)",
        ids=user_ids,
    )


async def list_unused_addresses(tx: Tx, user_ids: Sequence[UUID]) -> list[UUID]:
    """Returns the users that have not signed in since their e-mail address was set."""
    rows = await tx.rows(
        """
        SELECT id FROM users WHERE tenant_id = :tenant AND id = ANY(:ids) AND status = 'ACTIVE'
        AND (last_login_at IS NULL OR last_login_at < email_changed_at) ORDER BY id
        """,
        ids=user_ids,
    )
    return [row["id"] for row in rows]


async def list_recipients(tx: Tx, user_ids: Sequence[UUID]) -> list[Recipient]:
    """Returns the active ones of these users as recipients of mail."""
    return await tx.list(
        Recipient,
        """
        SELECT u.id AS user_id, u.email, u.name, COALESCE(u.locale, t.locale) AS locale,
               COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone
        FROM users u JOIN tenants t ON t.id = u.tenant_id
        LEFT JOIN tenant_settings c ON c.tenant_id = u.tenant_id
        WHERE u.tenant_id = :tenant AND u.id = ANY(:ids) AND u.status = 'ACTIVE'
        """,
        ids=user_ids,
    )


async def lock_active_admins(tx: Tx, user_id: UUID) -> list[UUID]:
    """Locks the tenant's active administrators in a fixed order. Returns none if this user is not one of
    them.

    If the tenant requires single sign-on, only administrators with emergency access are returned.
    """
    admin = "tenant_id = :tenant AND role = 'admin' AND status = 'ACTIVE'"
    required = "EXISTS (SELECT FROM tenant_settings WHERE tenant_id = :tenant AND sso_required)"
    rows = await tx.rows(
        f"""
        SELECT id, NOT {required} OR (break_glass AND password_hash IS NOT NULL) AS gets_in
        FROM users WHERE {admin} AND EXISTS (SELECT FROM users WHERE {admin} AND id = :user_id)
        ORDER BY id FOR UPDATE
        """,  # noqa: S608
        user_id=user_id,
    )
    return [row["id"] for row in rows if row["gets_in"]]


async def remove_from_managers(tx: Tx, user_id: UUID) -> None:
    """Removes a person who is no longer a gestor from all business units that they managed."""
    await tx.execute(
        "DELETE FROM business_unit_managers WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def remove_from_teachers(tx: Tx, user_id: UUID) -> None:
    """Removes a person who is no longer an instrutor from all courses that they taught."""
    await tx.execute(
        "DELETE FROM course_teachers WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def lock_unmarked_cpfs(tx: Tx, limit: int) -> Sequence[Any]:
    """Locks and returns users whose CPF has no fingerprint yet, oldest first, skipping locked rows."""
    return await tx.rows(
        """
        SELECT id, cpf_sealed FROM users WHERE tenant_id = :tenant AND cpf_unmarked
        ORDER BY created_at, id LIMIT :limit FOR UPDATE SKIP LOCKED
        """,
        limit=limit,
    )


async def mark_cpf(tx: Tx, user_id: UUID, fingerprint: bytes) -> None:
    """Stores a fingerprint. The first user with a CPF owns it; later ones with the same CPF are marked as
    shared.
    """
    await tx.execute(
        """
        UPDATE users SET cpf_fingerprint = :fingerprint, cpf_shared = EXISTS (
            SELECT FROM users WHERE tenant_id = :tenant AND cpf_fingerprint = :fingerprint AND NOT cpf_shared)
        WHERE tenant_id = :tenant AND id = :user_id
        """,
        user_id=user_id,
        fingerprint=fingerprint,
    )


async def add_xp(tx: Tx, user_id: UUID, points: int) -> int:
    """Adds experience points to an existing user; returns how many the user has now."""
    xp: int = await tx.value(
        """
        UPDATE users SET xp = xp + :points, updated_at = :now
        WHERE tenant_id = :tenant AND id = :user_id RETURNING xp
        """,
        user_id=user_id,
        points=points,
    )
    return xp
