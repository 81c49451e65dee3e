"""The SQL of custom fields."""

from collections.abc import Mapping
from typing import Any

from trilha.core.database import Tx, columns_of
from trilha.people.custom_fields.schema import CustomField, NewCustomField

_ONE = f"SELECT {columns_of(CustomField)} FROM custom_fields WHERE tenant_id = :tenant AND key = :key"  # noqa: S608


async def list_fields(tx: Tx) -> list[CustomField]:
    """Lists the company's fields in its order."""
    return await tx.list(
        CustomField,
        f"""
        SELECT {columns_of(CustomField)} FROM custom_fields WHERE tenant_id = :tenant ORDER BY position, key
        """,  # noqa: S608
    )


async def load_fields(tx: Tx, values: Mapping[str, Any]) -> dict[str, CustomField]:
    """Returns the fields by key, or none if there are no values to check."""
    return {each.key: each for each in await list_fields(tx)} if values else {}


async def insert(tx: Tx, new: NewCustomField) -> bool:
    """Returns False if the key is taken."""
    return bool(
        await tx.execute(
            """
            INSERT INTO custom_fields (tenant_id, key, name, type, choices, personal, position, created_at,
                                       updated_at)
            SELECT :tenant, CAST(:key AS text), CAST(:name AS text), CAST(:type AS text),
                   CAST(:choices AS text[]), CAST(:personal AS boolean),
                   (SELECT COALESCE(max(position), 0) + 1 FROM custom_fields WHERE tenant_id = :tenant),
                   CAST(:now AS timestamptz), CAST(:now AS timestamptz)
            ON CONFLICT (tenant_id, key) DO NOTHING
            """,
            key=new.key,
            name=new.name,
            type=new.type,
            choices=list(new.choices),
            personal=new.personal,
        )
    )


async def update(tx: Tx, key: str, name: str, choices: list[str]) -> bool:
    """Returns False if there is no such field."""
    return bool(
        await tx.execute(
            """
            UPDATE custom_fields SET name = :name, choices = :choices, updated_at = :now
            WHERE tenant_id = :tenant AND key = :key
            """,
            key=key,
            name=name,
            choices=choices,
        )
    )


async def find(tx: Tx, key: str) -> CustomField | None:
    return await tx.find(CustomField, _ONE, key=key)


async def find_for_update(tx: Tx, key: str) -> CustomField | None:
    return await tx.find(CustomField, f"{_ONE} FOR UPDATE", key=key)


async def lock_creation(tx: Tx) -> None:
    """Lets one transaction create fields of the tenant at a time, so that their number can be checked."""
    await tx.rows(
        "SELECT pg_advisory_xact_lock(hashtextextended('custom_fields ' || :tenant::uuid::text, 0))"
    )


async def keep_fields(tx: Tx) -> None:
    """Locks the fields against deletion until the transaction ends, which may store a rule that uses one."""
    await tx.rows("SELECT key FROM custom_fields WHERE tenant_id = :tenant ORDER BY key FOR KEY SHARE")


async def delete(tx: Tx, key: str) -> None:
    await tx.execute("DELETE FROM custom_fields WHERE tenant_id = :tenant AND key = :key", key=key)
