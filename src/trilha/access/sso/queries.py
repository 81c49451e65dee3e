"""The SQL of connections and of the people linked to them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from trilha.access.sso.schema import Connection, Kind
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp

_SELECT = """
    SELECT c.id, c.kind, c.name, c.enabled, c.jit, c.idp_initiated, c.attributes, c.unit_attribute, c.units,
           c.alerts,
           ARRAY(SELECT d.domain FROM sso_connection_domains d
                 WHERE d.tenant_id = c.tenant_id AND d.connection_id = c.id ORDER BY d.domain) AS domains,
           c.last_sign_in_at, c.created_at, c.updated_at
    FROM sso_connections c WHERE c.tenant_id = :tenant"""


async def list_all(tx: Tx) -> list[Connection]:
    """Lists the connections in the order of their creation."""
    return await tx.list(Connection, f"{_SELECT} ORDER BY c.created_at, c.id")


async def find(tx: Tx, connection_id: UUID) -> Connection | None:
    return await tx.find(Connection, f"{_SELECT} AND c.id = :connection_id", connection_id=connection_id)


async def get(tx: Tx, connection_id: UUID, *, lock: bool = False) -> Connection:
    """Raises NotFound."""
    if lock:
        # On a cluster, rows cannot be locked while a subquery reads another table.
        locked = "SELECT FROM sso_connections WHERE tenant_id = :tenant AND id = :connection_id FOR UPDATE"
        await tx.execute(locked, connection_id=connection_id)
    found = await find(tx, connection_id)
    if found is None:
        raise NotFound("connection_not_found")
    return found


async def find_enabled(tx: Tx, kind: Kind, connection_id: UUID | None = None) -> Connection | None:
    """Returns this connection, or the oldest enabled one if no id is given."""
    return await tx.find(
        Connection,
        f"""
        {_SELECT} AND c.enabled AND c.kind = :kind AND c.id = COALESCE(CAST(:connection_id AS uuid), c.id)
        ORDER BY c.created_at, c.id LIMIT 1
        """,
        kind=kind,
        connection_id=connection_id,
    )


async def insert(tx: Tx, values: Mapping[str, Any], domains: Sequence[str]) -> Connection:
    """Inserts a connection with its domains, in their stored form."""
    connection_id: UUID = await tx.value(
        f"""
        INSERT INTO sso_connections (tenant_id, {", ".join(values)}, created_at, updated_at)
        VALUES (:tenant, {", ".join(f":{name}" for name in values)}, :now, :now) RETURNING id
        """,  # noqa: S608
        **values,
    )
    await put_domains(tx, connection_id, domains)
    return await get(tx, connection_id)


async def update(tx: Tx, connection_id: UUID, values: Mapping[str, Any]) -> None:
    """Updates an existing connection."""
    sets = "".join(f"{name} = :{name}, " for name in values)
    await tx.execute(
        f"""
        UPDATE sso_connections SET {sets}updated_at = :now
        WHERE tenant_id = :tenant AND id = :connection_id
        """,  # noqa: S608
        connection_id=connection_id,
        **values,
    )


async def put_domains(tx: Tx, connection_id: UUID, domains: Sequence[str]) -> None:
    """Replaces the connection's domains."""
    await tx.execute(
        """
        WITH others AS (
            DELETE FROM sso_connection_domains
            WHERE tenant_id = :tenant AND connection_id = :connection_id AND domain <> ALL(:domains))
        INSERT INTO sso_connection_domains (tenant_id, connection_id, domain)
        SELECT :tenant, :connection_id, domain FROM unnest(:domains::text[]) AS domain ON CONFLICT DO NOTHING
        """,
        connection_id=connection_id,
        domains=list(dict.fromkeys(domains)),
    )


async def delete(tx: Tx, connection_id: UUID) -> bool:
    """Deletes the connection with everything that belongs to it, including the sessions that began with
    it.
    """
    return bool(
        await tx.execute(
            "DELETE FROM sso_connections WHERE tenant_id = :tenant AND id = :connection_id",
            connection_id=connection_id,
        )
    )


async def end_flows(tx: Tx, connection_id: UUID) -> None:
    """Discards the sign-ins under way; these people have to start again."""
    for table in ("sso_flows", "sso_tickets"):
        await tx.execute(
            f"DELETE FROM {table} WHERE tenant_id = :tenant AND connection_id = :connection_id",  # noqa: S608
            connection_id=connection_id,
        )


async def end_sign_ins(tx: Tx, connection_id: UUID) -> int:
    """Ends the sign-ins under way and the sessions of earlier ones. Returns the number of sessions."""
    await end_flows(tx, connection_id)
    return await tx.execute(
        "DELETE FROM sessions WHERE tenant_id = :tenant AND connection_id = :connection_id",
        connection_id=connection_id,
    )


async def find_linked(tx: Tx, connection_id: UUID, subject: str) -> UUID | None:
    """Returns the user that this connection knows by the subject."""
    user_id: UUID | None = await tx.value(
        """
        SELECT user_id FROM sso_identities
        WHERE tenant_id = :tenant AND connection_id = :connection_id AND subject = :subject
        """,
        connection_id=connection_id,
        subject=subject,
    )
    return user_id


async def link(tx: Tx, connection_id: UUID, subject: str, user_id: UUID) -> bool:
    """Links a subject to a user. Returns False if the connection knows the user by another subject, or
    another user by this one.
    """
    return bool(
        await tx.execute(
            """
            INSERT INTO sso_identities (tenant_id, connection_id, subject, user_id, last_sign_in_at,
                                        created_at)
            VALUES (:tenant, :connection_id, :subject, :user_id, :now, :now) ON CONFLICT DO NOTHING
            """,
            connection_id=connection_id,
            subject=subject,
            user_id=user_id,
        )
    )


async def unlink(tx: Tx, connection_id: UUID, user_id: UUID) -> bool:
    return bool(
        await tx.execute(
            """
            DELETE FROM sso_identities
            WHERE tenant_id = :tenant AND connection_id = :connection_id AND user_id = :user_id
            """,
            connection_id=connection_id,
            user_id=user_id,
        )
    )


async def unlink_all(tx: Tx, connection_id: UUID) -> None:
    """Removes all links of the connection."""
    await tx.execute(
        "DELETE FROM sso_identities WHERE tenant_id = :tenant AND connection_id = :connection_id",
        connection_id=connection_id,
    )


async def put_alert(tx: Tx, connection_id: UUID, code: str, text: str | None) -> None:
    """Sets or clears (None) an alert about the connection, which administrators see with the time it
    began.
    """
    if text is None:
        await tx.execute(
            """
            UPDATE sso_connections SET alerts = alerts - CAST(:code AS text)
            WHERE tenant_id = :tenant AND id = :connection_id
            """,
            connection_id=connection_id,
            code=code,
        )
        return
    await tx.execute(
        """
        UPDATE sso_connections SET alerts = alerts || jsonb_set(
            CAST(:alert AS jsonb), CAST(:since AS text[]),
            COALESCE(alerts #> CAST(:since AS text[]), CAST(:alert AS jsonb) #> CAST(:since AS text[])))
        WHERE tenant_id = :tenant AND id = :connection_id
        """,
        connection_id=connection_id,
        alert={code: {"since": Timestamp.of(tx.now), "text": text}},
        since=[code, "since"],
    )


async def end_sessions_of(tx: Tx, connection_id: UUID, user_id: UUID) -> None:
    """Ends the user's sessions that began with this connection."""
    for table in ("sso_tickets", "sessions"):
        await tx.execute(
            f"""
            DELETE FROM {table}
            WHERE tenant_id = :tenant AND connection_id = :connection_id AND user_id = :user_id
            """,  # noqa: S608
            connection_id=connection_id,
            user_id=user_id,
        )


async def note_sign_in(tx: Tx, connection_id: UUID, subject: str) -> None:
    await tx.execute(
        """
        WITH identity AS (
            UPDATE sso_identities SET last_sign_in_at = :now
            WHERE tenant_id = :tenant AND connection_id = :connection_id AND subject = :subject)
        UPDATE sso_connections SET last_sign_in_at = :now
        WHERE tenant_id = :tenant AND id = :connection_id
          AND (last_sign_in_at IS NULL OR last_sign_in_at < :before)
        """,
        connection_id=connection_id,
        subject=subject,
        before=tx.now - timedelta(minutes=1),
    )


async def unlink_person(tx: Tx, user_id: UUID) -> None:
    """Removes the user's links, so that the next sign-in finds the user by e-mail address again."""
    await tx.execute(
        "DELETE FROM sso_identities WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def delete_expired(tx: Tx, table: str, column: str, limit: int) -> int:
    """Deletes expired rows of a table. Returns how many there were."""
    return await tx.execute(
        f"""
        DELETE FROM {table} WHERE tenant_id = :tenant AND ctid IN (
            SELECT ctid FROM {table} WHERE tenant_id = :tenant AND {column} < :now LIMIT :limit)
        """,  # noqa: S608
        limit=limit,
    )
