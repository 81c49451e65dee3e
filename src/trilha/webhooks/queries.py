"""The SQL of webhook endpoints and their history."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.secret_tables import SecretTable
from trilha.webhooks.schema import Endpoint

_COLUMNS = ", ".join(Endpoint.__struct_fields__)
SECRETS = SecretTable("webhook_secrets", owner="endpoint_id", content="secret")
_LIVE = f"SELECT {_COLUMNS} FROM webhook_endpoints WHERE tenant_id = :tenant AND deleted_at IS NULL"  # noqa: S608


async def get(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Raises NotFound."""
    return _found(await tx.find(Endpoint, f"{_LIVE} AND id = :webhook_id", webhook_id=webhook_id))


async def get_for_update(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Raises NotFound."""
    sql = f"{_LIVE} AND id = :webhook_id FOR UPDATE"
    return _found(await tx.find(Endpoint, sql, webhook_id=webhook_id))


async def lock_creation(tx: Tx) -> None:
    """Until the transaction ends, nobody else creates an endpoint in this tenant, or relays its events."""
    await tx.rows(
        "SELECT pg_advisory_xact_lock(hashtextextended('webhook_endpoints ' || :tenant::uuid::text, 0))"
    )


async def count(tx: Tx) -> int:
    """Those that are deleted not among them."""
    found: int = await tx.value(
        "SELECT count(*) FROM webhook_endpoints WHERE tenant_id = :tenant AND deleted_at IS NULL"
    )
    return found


async def mark_past_events(tx: Tx, webhook_id: UUID) -> None:
    """Events that are committed by now came before this endpoint, whatever their times say.

    What is relayed already needs no mark, and what bears that of an older endpoint keeps it.
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
            INSERT INTO webhook_queues (tenant_id, endpoint_id) SELECT :tenant, id FROM inserted)
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
    """The worker deletes its history later."""
    await tx.execute(
        """
        UPDATE webhook_endpoints SET deleted_at = :now, active = false, updated_at = :now
        WHERE tenant_id = :tenant AND id = :webhook_id AND deleted_at IS NULL
        """,
        webhook_id=webhook_id,
    )


async def touch(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Locks the endpoint and notes that it changes. Raises NotFound."""
    endpoint = await tx.find(
        Endpoint,
        f"""
        UPDATE webhook_endpoints SET updated_at = :now
        WHERE tenant_id = :tenant AND id = :webhook_id AND deleted_at IS NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        webhook_id=webhook_id,
    )
    return _found(endpoint)


async def delete_ended_secrets(tx: Tx, webhook_id: UUID) -> None:
    """What signs nothing any more needs not be kept, be it sealed."""
    await tx.execute(
        """
        DELETE FROM webhook_secrets
        WHERE tenant_id = :tenant AND endpoint_id = :webhook_id AND expires_at <= :now
        """,
        webhook_id=webhook_id,
    )


def _found(endpoint: Endpoint | None) -> Endpoint:
    if endpoint is None:
        raise NotFound("webhook_not_found")
    return endpoint
