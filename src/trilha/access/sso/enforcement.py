"""Required single sign-on, with emergency access for a few administrators in case the provider fails."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.platform.audit import queries as audit

_OPENS = "role = 'admin' AND status = 'ACTIVE' AND password_hash IS NOT NULL"


async def is_required(tx: Tx) -> bool:
    sql = "SELECT sso_required FROM tenant_settings WHERE tenant_id = :tenant"
    return bool(await tx.value(sql))


async def require(tx: Tx) -> None:
    """Requires single sign-on from now on. Sessions that began with a password continue.

    Raises BusinessRule (no_enabled_connection, no_break_glass).
    """
    if await is_required(tx):
        return
    if not await _has_enabled(tx):
        raise BusinessRule("no_enabled_connection")
    if not await list_break_glass(tx):
        raise BusinessRule("no_break_glass")
    await _set(tx, True)
    await audit.record(tx, "sso.required", tx.tenant_id)


async def allow_passwords(tx: Tx) -> None:
    if await is_required(tx):
        await _set(tx, False)
        await audit.record(tx, "sso.not_required", tx.tenant_id)


async def list_break_glass(tx: Tx) -> list[UUID]:
    """Returns the administrators with emergency access."""
    rows = await tx.rows(
        f"SELECT id FROM users WHERE tenant_id = :tenant AND break_glass AND {_OPENS} ORDER BY id"  # noqa: S608
    )
    return [row["id"] for row in rows]


async def set_break_glass(tx: Tx, user_id: UUID, *, allowed: bool) -> None:
    """Grants or withdraws emergency access. Raises BusinessRule (not_an_administrator, no_break_glass)."""
    fits = await tx.value(
        f"SELECT id FROM users WHERE tenant_id = :tenant AND id = :user_id AND {_OPENS} FOR UPDATE",  # noqa: S608
        user_id=user_id,
    )
    if allowed and fits is None:
        raise BusinessRule("not_an_administrator")
    changed = await tx.execute(
        """
        UPDATE users SET break_glass = :allowed
        WHERE tenant_id = :tenant AND id = :user_id AND break_glass <> :allowed
        """,
        user_id=user_id,
        allowed=allowed,
    )
    if not changed:
        return
    if not allowed and await is_required(tx) and not await list_break_glass(tx):
        raise BusinessRule("no_break_glass")
    action = "sso.break_glass_on" if allowed else "sso.break_glass_off"
    await audit.record(tx, action, user_id)


async def check_another(tx: Tx, connection_id: UUID) -> None:
    """Raises BusinessRule (last_connection) if nobody could sign in without this connection."""
    if await is_required(tx) and not await _has_enabled(tx, except_id=connection_id):
        raise BusinessRule("last_connection")


async def _has_enabled(tx: Tx, except_id: UUID | None = None) -> bool:
    return bool(
        await tx.value(
            """
            SELECT EXISTS (SELECT FROM sso_connections WHERE tenant_id = :tenant AND enabled
                           AND id IS DISTINCT FROM CAST(:except_id AS uuid))
            """,
            except_id=except_id,
        )
    )


async def _set(tx: Tx, required: bool) -> None:
    await tx.execute(
        """
        INSERT INTO tenant_settings (tenant_id, sso_required, updated_at) VALUES (:tenant, :required, :now)
        ON CONFLICT (tenant_id) DO UPDATE SET sso_required = :required, updated_at = :now
        """,
        required=required,
    )
