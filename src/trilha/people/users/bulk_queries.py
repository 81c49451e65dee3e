"""The SQL that handles many users at once."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.people.users.queries import TYPES
from trilha.people.users.schema import StoredUser


async def lock_people(tx: Tx, emails: Sequence[str], numbers: Sequence[str]) -> list[StoredUser]:
    """Locks and returns the users with one of these e-mail addresses or employee numbers."""
    return await tx.list(
        StoredUser,
        f"""
        SELECT {columns_of(StoredUser)} FROM users WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM users WHERE tenant_id = :tenant AND email = ANY(:emails)
            UNION
            SELECT id FROM users WHERE tenant_id = :tenant AND employee_number = ANY(:numbers))
        ORDER BY id FOR UPDATE
        """,  # noqa: S608
        emails=emails,
        numbers=numbers,
    )


async def owners_of_cpfs(tx: Tx, fingerprints: Sequence[bytes]) -> dict[bytes, UUID]:
    """Returns the owner of each CPF. CPFs that several users share have none."""
    rows = await tx.rows(
        """
        SELECT cpf_fingerprint, id FROM users
        WHERE tenant_id = :tenant AND cpf_fingerprint = ANY(:fingerprints) AND NOT cpf_shared
        """,
        fingerprints=fingerprints,
    )
    return {row["cpf_fingerprint"]: row["id"] for row in rows}


async def lock_units(tx: Tx, unit_ids: Sequence[UUID]) -> set[UUID]:
    """Locks these business units against deletion until the transaction ends. Returns the ids that exist."""
    rows = await tx.rows(
        """
        SELECT id FROM business_units WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR KEY SHARE
        """,
        ids=unit_ids,
    )
    return {row["id"] for row in rows}


async def update_many(tx: Tx, rows: Mapping[UUID, Mapping[str, Any]]) -> set[UUID]:
    """Updates each user's given columns and returns the ids of the updated users, without erased ones.

    The rows must be locked. Raises UniqueViolationError.
    """
    names = sorted({name for columns in rows.values() for name in columns})
    arrays = [f":{name}::{TYPES.get(name, 'text')}[], :sets_{name}::boolean[]" for name in names]
    updated = await tx.rows(
        f"""
        UPDATE users AS person SET updated_at = :now,
            {", ".join(f"{n} = CASE WHEN new.sets_{n} THEN new.{n} ELSE person.{n} END" for n in names)}
        FROM unnest(:ids::uuid[], {", ".join(arrays)})
             AS new (id, {", ".join(f"{name}, sets_{name}" for name in names)})
        WHERE person.tenant_id = :tenant AND person.id = new.id AND person.erased_at IS NULL
        RETURNING person.id
        """,  # noqa: S608
        ids=list(rows),
        **{name: [columns.get(name) for columns in rows.values()] for name in names},
        **{f"sets_{name}": [name in columns for columns in rows.values()] for name in names},
    )
    return {row["id"] for row in updated}
