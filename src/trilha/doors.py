"""Every statement that runs without a tenant, under the second database role.

A credential names its tenant only once it is found; limits are counted before that; the worker must
learn in which tenants something is due. Nothing else passes here, and nothing here reads personal data.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.auth import ClientKeys, Credential, Kind, Shown, SigningKeyRow
from trilha.core.db import Database, Door
from trilha.tenants.schema import Tenant

_CREDENTIALS = """
    SELECT 'api_key' AS kind, s.fingerprint AS key, k.id, k.tenant_id,
           t.status = 'ACTIVE' AS tenant_active, k.scopes, k.networks, k.expires_at,
           s.expires_at AS secret_expires_at, k.revoked_at,
           COALESCE(k.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true) AS unseen
    FROM api_key_secrets s
    JOIN api_keys k ON k.tenant_id = s.tenant_id AND k.id = s.api_key_id
    JOIN tenants t ON t.id = s.tenant_id
    WHERE s.fingerprint = ANY(:keys)
    UNION ALL
    SELECT 'client_secret', s.fingerprint, c.id, c.tenant_id, t.status = 'ACTIVE', c.scopes,
           c.networks, NULL, s.expires_at, c.disabled_at,
           COALESCE(c.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true)
    FROM oauth_client_secrets s
    JOIN oauth_clients c ON c.tenant_id = s.tenant_id AND c.id = s.client_id
    JOIN tenants t ON t.id = s.tenant_id
    WHERE s.fingerprint = ANY(:secrets)
    UNION ALL
    SELECT 'access_token', uuid_send(a.jti), c.id, c.tenant_id, t.status = 'ACTIVE',
           ARRAY(SELECT unnest(a.scopes) INTERSECT SELECT unnest(c.scopes)),
           c.networks, a.expires_at, NULL, LEAST(a.revoked_at, c.disabled_at),
           COALESCE(c.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true)
    FROM unnest(:token_tenants::uuid[], :jtis::uuid[]) AS shown (tenant_id, jti)
    JOIN oauth_tokens a USING (tenant_id, jti)
    JOIN oauth_clients c ON c.tenant_id = a.tenant_id AND c.id = a.client_id AND a.created_at >= c.tokens_from
    JOIN tenants t ON t.id = a.tenant_id
"""
_DUE = """
    SELECT FROM webhook_deliveries d
    WHERE d.tenant_id = e.tenant_id AND d.endpoint_id = e.id AND d.status = 'PENDING'
      AND d.next_attempt_at <= :now AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
"""


class Doors:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def admit(
        self, shown: Collection[Shown], counts: dict[tuple[str, int, int], int]
    ) -> tuple[list[Credential], dict[str, int]]:
        """The credentials that were shown, as far as they are known, and the new totals by bucket.

        `counts` is what to add to each (bucket, window number, window seconds). The credentials are noted
        as used, to the minute. One statement, because every request waits for it.
        """
        # Sorted, so that two processes lock rows in one order.
        keys = sorted(counts)
        async with self._database.door() as door:
            rows = await door.rows(
                f"""
                WITH counted AS (
                    INSERT INTO limit_windows AS w (bucket, number, hits, ends_at)
                    SELECT bucket, number, hits, to_timestamp((number + 1) * seconds)
                    FROM unnest(:buckets::text[], :numbers::bigint[], :seconds::int[], :hits::int[])
                         AS t (bucket, number, seconds, hits)
                    ON CONFLICT (bucket, number) DO UPDATE SET hits = w.hits + excluded.hits
                    RETURNING bucket, hits)
                SELECT * FROM counted FULL JOIN ({_CREDENTIALS}) AS found ON false
                """,  # noqa: S608
                buckets=[bucket for bucket, _, _ in keys],
                numbers=[number for _, number, _ in keys],
                seconds=[seconds for _, _, seconds in keys],
                hits=[counts[key] for key in keys],
                **_looked_up(shown),
            )
            totals = {bucket: hits for bucket, hits, *_ in rows if bucket is not None}
            found = [Credential(*credential) for bucket, _, *credential in rows if bucket is None]
            await self._note_use(door, [each for each in found if each.unseen])
        return found, totals

    async def find_credentials(self, shown: Collection[Shown]) -> list[Credential]:
        async with self._database.door() as door:
            return await door.list(Credential, _CREDENTIALS, **_looked_up(shown))

    async def _note_use(self, door: Door, unseen: Sequence[Credential]) -> None:
        for table, is_key in (("api_keys", True), ("oauth_clients", False)):
            if own := [each for each in unseen if (each.kind == Kind.API_KEY) == is_key]:
                await door.execute(
                    f"""
                    UPDATE {table} SET last_used_at = :now
                    WHERE id = ANY(:ids) AND tenant_id = ANY(:tenants)
                    """,  # noqa: S608
                    ids=[each.id for each in own],
                    tenants=[each.tenant_id for each in own],
                )

    async def forget_windows(self) -> int:
        """Drops the counters of windows that are over."""
        async with self._database.door() as door:
            return await door.execute(
                """
                DELETE FROM limit_windows WHERE (bucket, number) IN (
                    SELECT bucket, number FROM limit_windows WHERE ends_at < :now LIMIT 5000)
                """
            )

    async def find_client_keys(self, client_id: UUID) -> ClientKeys | None:
        """A client that signs assertions; None also for one that has a secret instead."""
        async with self._database.door() as door:
            return await door.find(
                ClientKeys,
                """
                SELECT c.id, c.tenant_id, t.status = 'ACTIVE' AS tenant_active, c.scopes, c.networks,
                       c.public_keys, c.disabled_at
                FROM oauth_clients c JOIN tenants t ON t.id = c.tenant_id
                WHERE c.id = :client_id AND c.public_keys IS NOT NULL
                """,
                client_id=client_id,
            )

    async def signing_keys(self) -> list[SigningKeyRow]:
        async with self._database.door() as door:
            return await door.list(SigningKeyRow, "SELECT * FROM signing_keys ORDER BY number")

    async def add_signing_key(self, key: SigningKeyRow) -> None:
        """Does nothing where there is one with this number."""
        async with self._database.door() as door, door.durable():
            await door.execute(
                """
                INSERT INTO signing_keys (number, kid, private, public, signs_from, created_at)
                VALUES (:number, :kid, :private, :public, :signs_from, :created_at)
                ON CONFLICT (number) DO NOTHING
                """,
                **msgspec.structs.asdict(key),
            )

    async def drop_signing_key(self, kid: str) -> None:
        """And ends every token that it signed."""
        async with self._database.door() as door, door.durable():
            await door.execute(
                """
                WITH dropped AS (DELETE FROM signing_keys WHERE kid = :kid)
                UPDATE oauth_tokens SET revoked_at = :now
                WHERE kid = :kid AND expires_at > :now AND revoked_at IS NULL
                """,
                kid=kid,
            )

    async def find_tenant(self, slug: str) -> Tenant | None:
        async with self._database.door() as door:
            return await door.find(Tenant, "SELECT * FROM tenants WHERE slug = :slug", slug=slug)

    async def tenants_with_due_expiry(self) -> list[UUID]:
        """Tenants in which an enrollment has run out and is not yet stored as expired."""
        return await self._tenants(
            """
            SELECT DISTINCT tenant_id FROM enrollments
            WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at <= :now LIMIT 1000
            """
        )

    async def tenants_with_old_replies(self) -> list[UUID]:
        """Tenants with stored responses past their day."""
        return await self._tenants(
            "SELECT DISTINCT tenant_id FROM idempotency_keys WHERE expires_at < :now LIMIT 1000"
        )

    async def tenants_with_new_events(self) -> list[UUID]:
        """Tenants with events that are not yet relayed."""
        return await self._tenants("SELECT DISTINCT tenant_id FROM events WHERE NOT relayed LIMIT 1000")

    async def tenants_with_due_deliveries(self) -> list[UUID]:
        """Active tenants with a delivery that is due and that nobody holds."""
        return await self._tenants(
            f"""
            SELECT DISTINCT e.tenant_id FROM webhook_endpoints e JOIN tenants t ON t.id = e.tenant_id
            WHERE t.status = 'ACTIVE' AND e.deleted_at IS NULL
              AND ((e.active AND EXISTS ({_DUE} AND NOT d.forced)) OR EXISTS ({_DUE} AND d.forced))
            LIMIT 1000
            """  # noqa: S608
        )

    async def tenants_with_replays(self) -> list[UUID]:
        return await self._tenants("SELECT DISTINCT tenant_id FROM webhook_replays LIMIT 1000")

    async def tenants_with_held_deliveries(self, before: datetime) -> list[UUID]:
        """Tenants with an inactive endpoint that has kept deliveries waiting since before then."""
        return await self._tenants(
            """
            SELECT DISTINCT e.tenant_id FROM webhook_endpoints e
            WHERE NOT e.active AND EXISTS (
                SELECT FROM webhook_deliveries d
                WHERE d.tenant_id = e.tenant_id AND d.endpoint_id = e.id AND d.status = 'PENDING'
                  AND NOT d.forced AND d.next_attempt_at < :before)
            LIMIT 1000
            """,
            before=before,
        )

    async def tenants_with_old_history(self, deliveries: datetime, events: datetime) -> list[UUID]:
        """Tenants with deliveries or events from before then, or with a deleted endpoint."""
        return await self._tenants(
            """
            SELECT t.id AS tenant_id FROM tenants t
            WHERE EXISTS (SELECT FROM events v
                          WHERE v.tenant_id = t.id AND v.created_at < :events AND v.relayed)
               OR EXISTS (SELECT FROM webhook_endpoints e
                          WHERE e.tenant_id = t.id
                            AND (e.deleted_at IS NOT NULL
                                 OR EXISTS (SELECT FROM webhook_deliveries d
                                            WHERE d.tenant_id = t.id AND d.endpoint_id = e.id
                                              AND d.created_at < :deliveries AND d.status <> 'PENDING')))
            LIMIT 1000
            """,
            deliveries=deliveries,
            events=events,
        )

    async def tenants_with_old_tokens(self) -> list[UUID]:
        """Tenants with access tokens or used assertions that are over."""
        return await self._tenants(
            """
            SELECT t.id AS tenant_id FROM tenants t
            WHERE EXISTS (SELECT FROM oauth_tokens a WHERE a.tenant_id = t.id AND a.expires_at < :now)
               OR EXISTS (SELECT FROM oauth_assertions a WHERE a.tenant_id = t.id AND a.expires_at < :now)
            LIMIT 1000
            """
        )

    async def _tenants(self, sql: str, **params: datetime) -> list[UUID]:
        async with self._database.door() as door:
            return [row["tenant_id"] for row in await door.rows(sql, **params)]


def _looked_up(shown: Collection[Shown]) -> dict[str, Any]:
    tokens = [each for each in shown if each.kind == Kind.ACCESS_TOKEN]
    return {
        "keys": [each.key for each in shown if each.kind == Kind.API_KEY],
        "secrets": [each.key for each in shown if each.kind == Kind.CLIENT_SECRET],
        "token_tenants": [each.tenant_id for each in tokens],
        "jtis": [UUID(bytes=each.key) for each in tokens],
    }
