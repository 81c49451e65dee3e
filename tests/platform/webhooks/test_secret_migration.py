"""Secrets from before they were numbered are migrated, also by an owner that is not a superuser."""

from typing import Any
from uuid import UUID, uuid4

import asyncpg

from core.test_ordinary_owner import owned
from old_schemas import migrate_to
from trilha.core.database.migrate import migrate

__all__ = ["owned"]

OLD = """
    INSERT INTO webhook_endpoints (tenant_id, id, url, events, active, secret, previous_secret,
                                   previous_expires_at, created_at, updated_at)
    VALUES ($1, $2, 'https://a.example/', '{user.created}', true, 'new', 'old', '2999-01-01', now(), now()),
           ($1, $3, 'https://b.example/', '{user.created}', true, 'only', NULL, NULL, now(), now())
"""


async def test_existing_secrets_are_carried_over(owned: str) -> None:
    tenant, both, one, key, client = (uuid4() for _ in range(5))
    connection = await asyncpg.connect(owned)
    await migrate_to(connection, "0011_unscoped_role.sql")
    await connection.execute(
        "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 'a', 'A', now())", tenant
    )
    async with connection.transaction():
        await connection.execute(f"SET LOCAL ROLE trilha_app; SET LOCAL trilha.tenant = '{tenant}'")
        await connection.execute(OLD, tenant, both, one)
        await connection.execute(
            "INSERT INTO api_keys (tenant_id, id, name, hint, scopes, created_at, updated_at)"
            " VALUES ($1, $2, 'K', '', '{}', now(), now())",
            tenant,
            key,
        )
        await connection.execute(
            "INSERT INTO oauth_clients (tenant_id, id, name, scopes, tokens_from, created_at, updated_at)"
            " VALUES ($1, $2, 'C', '{}', now(), now(), now())",
            tenant,
            client,
        )
        for table, column, id in (
            ("api_key_secrets", "api_key_id", key),
            ("oauth_client_secrets", "client_id", client),
        ):
            await connection.execute(
                f"INSERT INTO {table} (tenant_id, fingerprint, {column}, expires_at)"
                " VALUES ($1, 'c', $2, NULL), ($1, 'a', $2, '2026-01-01'), ($1, 'b', $2, '2026-01-02')",
                tenant,
                id,
            )
    await migrate(owned)
    async with connection.transaction():
        await connection.execute(f"SET LOCAL ROLE trilha_app; SET LOCAL trilha.tenant = '{tenant}'")
        assert await secrets_of(connection, both) == [(1, b"old", True), (2, b"new", False)]
        assert await secrets_of(connection, one) == [(1, b"only", False)]
        for table in ("api_key_secrets", "oauth_client_secrets"):
            rows = await connection.fetch(f"SELECT number, fingerprint FROM {table} ORDER BY number")
            assert [tuple(row) for row in rows] == [(1, b"a"), (2, b"b"), (3, b"c")]
    # The owner is restricted again.
    for table in ("webhook_endpoints", "webhook_secrets", "api_key_secrets", "oauth_client_secrets"):
        assert await connection.fetch(f"SELECT FROM {table}") == []
    await connection.close()


async def secrets_of(connection: Any, endpoint: UUID) -> list[tuple[int, bytes, bool]]:
    rows = await connection.fetch(
        "SELECT number, secret, expires_at IS NOT NULL FROM webhook_secrets"
        " WHERE endpoint_id = $1 ORDER BY number",
        endpoint,
    )
    return [tuple(row) for row in rows]
