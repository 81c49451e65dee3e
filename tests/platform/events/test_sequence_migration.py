"""Events from before sequences existed: each gets one in the order of times and ids."""

from uuid import uuid4

import asyncpg

from core.test_ordinary_owner import owned
from old_schemas import migrate_to
from trilha.core.database.migrate import migrate

__all__ = ["owned"]


async def test_existing_rows_are_carried_over(owned: str) -> None:
    tenant, endpoint = uuid4(), uuid4()
    connection = await asyncpg.connect(owned)
    await migrate_to(connection, "0016_serving_logins.sql")
    await connection.execute(
        "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 'a', 'A', now())", tenant
    )
    async with connection.transaction():
        await connection.execute(f"SET LOCAL ROLE trilha_app; SET LOCAL trilha.tenant = '{tenant}'")
        # More in one millisecond than it has microseconds, and some later ones.
        await connection.execute(
            """
            INSERT INTO events (tenant_id, id, type, data, created_at)
            SELECT $1, gen_random_uuid(), 'user.created', '{}', timestamptz '2026-01-01 00:00Z' + after
            FROM unnest('{0s,1ms,1s}'::interval[]) AS after, generate_series(1, 1500)
            """,
            tenant,
        )
        await connection.execute(
            "INSERT INTO webhook_endpoints (tenant_id, id, url, events, active, created_at, updated_at)"
            " VALUES ($1, $2, 'https://a.example/', '{user.created}', true, now(), now())",
            tenant,
            endpoint,
        )
        await connection.execute(
            """
            INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, next_attempt_at,
                                            created_at, updated_at)
            SELECT $1, $2, id, type, now(), now(), now() FROM events
            """,
            tenant,
            endpoint,
        )
        await connection.execute(
            """
            INSERT INTO webhook_replays (tenant_id, endpoint_id, since, until, after_at, after_id, created_at)
            SELECT $1, $2, now(), now(), created_at, id, now() FROM events ORDER BY created_at, id LIMIT 1
            """,
            tenant,
            endpoint,
        )
    await connection.close()
    await migrate(owned)
    connection = await asyncpg.connect(owned)
    async with connection.transaction():
        await connection.execute(f"SET LOCAL ROLE trilha_app; SET LOCAL trilha.tenant = '{tenant}'")
        rows = await connection.fetch(
            "SELECT id, sequence, (extract(epoch FROM created_at) * 1000000)::bigint AS micros"
            " FROM events ORDER BY created_at, id"
        )
        sequences = [row["sequence"] for row in rows]
        assert sequences == sorted(set(sequences))
        assert all(row["sequence"] > row["micros"] for row in rows)
        assert await connection.fetchval("SELECT after_sequence FROM webhook_replays") == sequences[0]
        assert sequences == [
            row[0]
            for row in await connection.fetch("SELECT event_sequence FROM webhook_deliveries ORDER BY 1")
        ]
    await connection.close()
