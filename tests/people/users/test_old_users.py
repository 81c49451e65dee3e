"""Users from before business units and search existed: migrated, also by an ordinary owner."""

from uuid import uuid4

import asyncpg

from core.test_ordinary_owner import owned
from old_schemas import migrate_to
from trilha.core.database.migrate import migrate

__all__ = ["owned"]


async def test_units_in_use_become_units_and_people_are_found(owned: str) -> None:
    tenant, unit = uuid4(), uuid4()
    connection = await asyncpg.connect(owned)
    await migrate_to(connection, "0021")
    await connection.execute(
        "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 'a', 'A', now())", tenant
    )
    async with connection.transaction():
        await connection.execute(f"SET LOCAL ROLE trilha_app; SET LOCAL trilha.tenant = '{tenant}'")
        for name, its in (("Ana Conceição", unit), ("Bia", unit), ("Caio", None)):
            await connection.execute(
                """
                INSERT INTO users (tenant_id, email, name, role, business_unit_id, created_at, updated_at)
                VALUES ($1, $2, $3, 'learner', $4, now(), now())
                """,
                tenant,
                f"{name[0]}@example.com",
                name,
                its,
            )
    await migrate(owned)
    async with connection.transaction():
        await connection.execute(f"SET LOCAL ROLE trilha_app; SET LOCAL trilha.tenant = '{tenant}'")
        units = await connection.fetch("SELECT id, name FROM business_units")
        assert [tuple(row) for row in units] == [(unit, str(unit))]
        kept = await connection.fetchval("SELECT count(*) FROM users WHERE business_unit_id = $1", unit)
        words = await connection.fetch("SELECT word FROM user_words WHERE word LIKE 'c%' ORDER BY word")
        assert (kept, [row["word"] for row in words]) == (2, ["c@example.com", "caio", "conceicao"])
    await connection.close()
