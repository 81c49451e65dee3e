"""The SQL of many users at once."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.users.queries import TYPES
from trilha.users.schema import StoredUser


async def lock_people(tx: Tx, emails: Sequence[str], numbers: Sequence[str]) -> list[StoredUser]:
    """Who has one of these e-mail addresses or employee numbers."""
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
    """Who has each of these CPFs for theirs alone."""
    rows = await tx.rows(
        """
        SELECT cpf_fingerprint, id FROM users
        WHERE tenant_id = :tenant AND cpf_fingerprint = ANY(:fingerprints) AND NOT cpf_shared
        """,
        fingerprints=fingerprints,
    )
    return {row["cpf_fingerprint"]: row["id"] for row in rows}


async def lock_units(tx: Tx, unit_ids: Sequence[UUID]) -> set[UUID]:
    """Those of these business units that there are; none is deleted before the transaction ends."""
    rows = await tx.rows(
        """
        SELECT id FROM business_units WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR KEY SHARE
        """,
        ids=unit_ids,
    )
    return {row["id"] for row in rows}


async def update_many(tx: Tx, rows: Mapping[UUID, Mapping[str, Any]]) -> set[UUID]:
    """Sets of each of these users the columns that are given for them; who of them is not erased.

    Whose rows are locked. Raises UniqueViolationError.
    """
    names = sorted({name for columns in rows.values() for name in columns})
    given = [f":{name}::{TYPES.get(name, 'text')}[], :sets_{name}::boolean[]" for name in names]
    done = await tx.rows(
        f"""
        UPDATE users AS person SET updated_at = :now,
            {", ".join(f"{n} = CASE WHEN new.sets_{n} THEN new.{n} ELSE person.{n} END" for n in names)}
        FROM unnest(:ids::uuid[], {", ".join(given)})
             AS new (id, {", ".join(f"{name}, sets_{name}" for name in names)})
        WHERE person.tenant_id = :tenant AND person.id = new.id AND person.erased_at IS NULL
        RETURNING person.id
        """,  # noqa: S608
        ids=list(rows),
        **{name: [columns.get(name) for columns in rows.values()] for name in names},
        **{f"sets_{name}": [name in columns for columns in rows.values()] for name in names},
    )
    return {row["id"] for row in done}
