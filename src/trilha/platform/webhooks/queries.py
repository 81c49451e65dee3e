"""SQL of webhook endpoints."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.rotating_secrets import RotatingSecrets
from trilha.platform.webhooks.schema import Endpoint

_COLUMNS = ", ".join(Endpoint.__struct_fields__)
SECRETS = RotatingSecrets("webhook_secrets", owner="endpoint_id", content="secret")
_LIVE = f"SELECT {_COLUMNS} FROM webhook_endpoints WHERE tenant_id = :tenant AND deleted_at IS NULL"  # noqa: S608


async def get(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Returns an endpoint. Raises NotFound."""
    return _require(await tx.find(Endpoint, f"{_LIVE} AND id = :webhook_id", webhook_id=webhook_id))


async def get_for_update(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Returns an endpoint and locks it. Raises NotFound."""
    sql = f"{_LIVE} AND id = :webhook_id FOR UPDATE"
    return _require(await tx.find(Endpoint, sql, webhook_id=webhook_id))


async def lock_creation(tx: Tx) -> None:
    """Locks the tenant until the transaction ends, against new endpoints and against the relay."""
    await tx.rows(
        "SELECT pg_advisory_xact_lock(hashtextextended('webhook_endpoints ' || :tenant::uuid::text, 0))"
    )


async def count(tx: Tx) -> int:
    """Counts the endpoints that are not deleted."""
    number: int = await tx.value(
        "SELECT count(*) FROM webhook_endpoints WHERE tenant_id = :tenant AND deleted_at IS NULL"
    )
    return number


async def mark_past_events(tx: Tx, webhook_id: UUID) -> None:
    """Marks all events committed so far as older than this endpoint, whatever their time.

    Relayed events need no mark, and an event with the mark of an older endpoint keeps it.
    """
    await tx.execute(
        """
        UPDATE events SET before_endpoint = (
            SELECT number FROM webhook_endpoints WHERE tenant_id = :tenant AND id = :webhook_id)
        WHERE tenant_id = :tenant AND NOT relayed AND before_endpoint IS NULL
        """,
        webhook_id=webhook_id,
    )


async def insert(tx: Tx, values: Mapping[str, Any]) -> Endpoint:
    endpoint = await tx.find(
        Endpoint,
        f"""
        WITH inserted AS (
            INSERT INTO webhook_endpoints (tenant_id, {", ".join(values)}, created_at, updated_at)
            VALUES (:tenant, {", ".join(f":{name}" for name in values)}, :now, :now)
            RETURNING *),
        queue AS (
            INSERT INTO webhook_queues (tenant_id, endpoint_id) SELECT :tenant, id FROM inserted
            RETURNING tenant_id)
        SELECT {_COLUMNS} FROM inserted
        """,  # noqa: S608
        **values,
    )
    assert endpoint is not None
    return endpoint


async def update(tx: Tx, webhook_id: UUID, values: Mapping[str, Any]) -> Endpoint:
    endpoint = await tx.find(
        Endpoint,
        f"""
        UPDATE webhook_endpoints SET {", ".join(f"{name} = :{name}" for name in values)}, updated_at = :now
        WHERE tenant_id = :tenant AND id = :webhook_id
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        webhook_id=webhook_id,
        **values,
    )
    assert endpoint is not None
    return endpoint


async def delete(tx: Tx, webhook_id: UUID) -> None:
    """Marks an endpoint as deleted. The worker deletes its history later."""
    await tx.execute(
        """
        UPDATE webhook_endpoints SET deleted_at = :now, active = false, updated_at = :now
        WHERE tenant_id = :tenant AND id = :webhook_id AND deleted_at IS NULL
        """,
        webhook_id=webhook_id,
    )


async def touch(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Locks an endpoint and updates its time of change. Raises NotFound."""
    endpoint = await tx.find(
        Endpoint,
        f"""
        UPDATE webhook_endpoints SET updated_at = :now
        WHERE tenant_id = :tenant AND id = :webhook_id AND deleted_at IS NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        webhook_id=webhook_id,
    )
    return _require(endpoint)


async def delete_ended_secrets(tx: Tx, webhook_id: UUID) -> None:
    """Deletes sealed secrets that are no longer used for signing."""
    await tx.execute(
        """
        DELETE FROM webhook_secrets
        WHERE tenant_id = :tenant AND endpoint_id = :webhook_id AND expires_at <= :now
        """,
        webhook_id=webhook_id,
    )


def _require(endpoint: Endpoint | None) -> Endpoint:
    if endpoint is None:
        raise NotFound("webhook_not_found")
    return endpoint
