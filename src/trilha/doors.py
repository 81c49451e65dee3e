"""Every statement that runs without a tenant, under the second database role.

A credential names its tenant only once it is found; limits are counted before that; the worker must
learn in which tenants something is due. Nothing else passes here, and nothing here reads personal data.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from trilha.core.auth import Credential
from trilha.core.db import Database, Door
from trilha.tenants.schema import Tenant

_CREDENTIALS = """
    SELECT s.fingerprint, k.id, k.tenant_id, t.status = 'ACTIVE' AS tenant_active, k.scopes,
           k.networks, k.expires_at, s.expires_at AS secret_expires_at, k.revoked_at,
           COALESCE(k.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true) AS unseen
    FROM api_key_secrets s
    JOIN api_keys k ON k.tenant_id = s.tenant_id AND k.id = s.api_key_id
    JOIN tenants t ON t.id = s.tenant_id
    WHERE s.fingerprint = ANY(:fingerprints)
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
        self, fingerprints: Sequence[bytes], counts: dict[tuple[str, int, int], int]
    ) -> tuple[list[Credential], dict[str, int]]:
        """The API keys with these fingerprints, and the new totals by bucket.

        `counts` is what to add to each (bucket, window number, window seconds). The keys are noted as
        used, to the minute. One statement, because every request waits for it.
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
                fingerprints=fingerprints,
            )
            totals = {bucket: hits for bucket, hits, *_ in rows if bucket is not None}
            found = [Credential(*credential) for bucket, _, *credential in rows if bucket is None]
            await self._note_use(door, [each for each in found if each.unseen])
        return found, totals

    async def find_credentials(self, fingerprints: Sequence[bytes]) -> list[Credential]:
        async with self._database.door() as door:
            return await door.list(Credential, _CREDENTIALS, fingerprints=fingerprints)

    async def _note_use(self, door: Door, unseen: Sequence[Credential]) -> None:
        if unseen:
            await door.execute(
                "UPDATE api_keys SET last_used_at = :now WHERE id = ANY(:ids) AND tenant_id = ANY(:tenants)",
                ids=[each.id for each in unseen],
                tenants=[each.tenant_id for each in unseen],
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

    async def _tenants(self, sql: str, **params: datetime) -> list[UUID]:
        async with self._database.door() as door:
            return [row["tenant_id"] for row in await door.rows(sql, **params)]
