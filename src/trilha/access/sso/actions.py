"""Changes to connections of either kind, and to the people linked to them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from msgspec import UNSET

from trilha.access.sso import enforcement, queries
from trilha.access.sso.domains import queries as domains
from trilha.access.sso.schema import Connection, ConnectionPatch
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.platform.audit import queries as audit


async def change(tx: Tx, connection_id: UUID, patch: ConnectionPatch) -> Connection:
    """Changes the members that both kinds have. Raises NotFound or BusinessRule (no_verified_domain)."""
    before = await queries.get(tx, connection_id, lock=True)
    values = {name: getattr(patch, name) for name in patch.__struct_fields__}
    changed = {
        name: plain(value)
        for name, value in values.items()
        if value is not UNSET and plain(value) != getattr(before, name)
    }
    if not changed:
        return before
    if (new_domains := changed.pop("domains", None)) is not None:
        if before.enabled and not await _any_verified(tx, new_domains):
            raise BusinessRule("no_verified_domain")
        await queries.put_domains(tx, connection_id, new_domains)
    await queries.update(tx, connection_id, changed)
    members = [*changed, *(["domains"] if new_domains is not None else [])]
    await audit.record(tx, "sso.connection_changed", connection_id, before.name, changed=members)
    return await queries.get(tx, connection_id)


async def enable(tx: Tx, connection_id: UUID) -> Connection:
    """Raises NotFound or BusinessRule (no_verified_domain)."""
    connection = await queries.get(tx, connection_id, lock=True)
    if connection.enabled:
        return connection
    if not await _any_verified(tx, connection.domains):
        raise BusinessRule("no_verified_domain")
    await queries.update(tx, connection_id, {"enabled": True})
    await audit.record(tx, "sso.connection_enabled", connection_id, connection.name)
    return await queries.get(tx, connection_id)


async def disable(tx: Tx, connection_id: UUID) -> Connection:
    """Disables a connection, and ends its sessions and sign-ins in progress.

    Raises NotFound or BusinessRule (last_connection).
    """
    connection = await queries.get(tx, connection_id, lock=True)
    if not connection.enabled:
        return connection
    await enforcement.check_another(tx, connection_id)
    await queries.update(tx, connection_id, {"enabled": False})
    ended = await queries.end_sign_ins(tx, connection_id)
    await audit.record(tx, "sso.connection_disabled", connection_id, connection.name, sessions=ended)
    return await queries.get(tx, connection_id)


async def delete(tx: Tx, connection_id: UUID) -> None:
    """Deletes a connection with its links, and ends its sessions. Raises NotFound or BusinessRule
    (last_connection).
    """
    connection = await queries.get(tx, connection_id, lock=True)
    if connection.enabled:
        await enforcement.check_another(tx, connection_id)
    ended = await queries.end_sign_ins(tx, connection_id)
    await queries.delete(tx, connection_id)
    await audit.record(tx, "sso.connection_deleted", connection_id, connection.name, sessions=ended)


async def unlink(tx: Tx, connection_id: UUID, user_id: UUID) -> None:
    """Removes a person's link. Their next sign-in links them again, by the subject the provider has then.

    Raises NotFound or BusinessRule (person_not_linked).
    """
    connection = await queries.get(tx, connection_id)
    if not await queries.unlink(tx, connection_id, user_id):
        raise BusinessRule("person_not_linked")
    await queries.end_sessions_of(tx, connection_id, user_id)
    await audit.record(tx, "sso.identity_unlinked", user_id, "", connection_id=connection.id)


async def _any_verified(tx: Tx, names: list[str]) -> bool:
    for name in names:
        if await domains.is_verified(tx, name):
            return True
    return False


def plain(value: Any) -> Any:
    """Converts a value to the form in which the database returns it: ids in JSON are text."""
    if isinstance(value, Mapping):
        return {str(name): str(content) for name, content in value.items()}
    return sorted(set(map(str, value))) if isinstance(value, list) else value
