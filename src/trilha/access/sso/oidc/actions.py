"""Changes to OpenID Connect connections. Providers are looked up before the transaction."""

import asyncio
from typing import Any
from uuid import UUID

from msgspec import UNSET, structs, to_builtins

from trilha.access.sso import actions as shared
from trilha.access.sso import queries as connections
from trilha.access.sso.errors import REASONS, SignInRefused
from trilha.access.sso.oidc import queries, rules, token_endpoint
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.oidc.schema import NewOidcConnection, OidcConnection, OidcPatch, Provider
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.platform.audit import queries as audit


async def look_up(discovery: Discovery, tenant_id: UUID, issuer: str) -> Provider:
    """Looks a provider up, outside any transaction. Raises BusinessRule (provider_not_usable) with the
    reason.
    """
    try:
        return await discovery.look_up(tenant_id, issuer)
    except SignInRefused as refused:
        raise BusinessRule(
            "provider_not_usable",
            reason=refused.code,
            meaning=REASONS[refused.code],
            expected=refused.expected,
            received=refused.received,
        ) from None


async def create(tx: Tx, new: NewOidcConnection, provider: Provider) -> OidcConnection:
    """Creates a disabled connection. Raises BusinessRule (client_secret_missing, algorithm_unknown)."""
    values = await _credentials(new.auth_method, new.client_secret)
    members = {
        "kind": "OIDC",
        "name": new.name,
        "jit": new.jit,
        "attributes": shared.plain(new.attributes),
        "unit_attribute": new.unit_attribute,
        "units": shared.plain(new.units),
    }
    connection = await connections.insert(tx, members, new.domains)
    values["secret"] = queries.seal(tx, connection.id, values["secret"])
    await queries.insert(
        tx,
        connection.id,
        {
            **values,
            "client_id": new.client_id,
            "scopes": _scopes(new.scopes),
            "algorithms": _algorithms(new.algorithms),
            **_of_provider(tx, provider),
        },
    )
    await audit.record(tx, "sso.connection_created", connection.id, connection.name, type="OIDC")
    return OidcConnection(connection, await queries.get(tx, connection.id))


async def change(
    tx: Tx, connection_id: UUID, patch: OidcPatch, provider: Provider | None = None
) -> OidcConnection:
    """Changes a connection. `provider` is the result of looking up a new issuer. Sign-ins in progress must
    begin again.

    Raises NotFound or BusinessRule (client_secret_missing, algorithm_unknown).
    """
    connection = await connections.get(tx, connection_id, lock=True)
    before = await queries.get(tx, connection_id)
    values = await _build_changes(tx, before.auth_method, patch, connection_id)
    if provider is not None:
        values |= _of_provider(tx, provider)
    if not values:
        return OidcConnection(connection, before)
    await queries.update(tx, connection_id, values)
    await connections.end_flows(tx, connection_id)
    if values.get("issuer", before.issuer) != before.issuer:
        # The same subject at another provider is a different person.
        await connections.unlink_all(tx, connection_id)
        await connections.end_sign_ins(tx, connection_id)
    await connections.update(tx, connection_id, {})
    await audit.record(
        tx, "sso.connection_changed", connection_id, connection.name, changed=sorted(_list_members(values))
    )
    return OidcConnection(await connections.get(tx, connection_id), await queries.get(tx, connection_id))


async def _build_changes(tx: Tx, method: str, patch: OidcPatch, connection_id: UUID) -> dict[str, Any]:
    given = {name: value for name, value in structs.asdict(patch).items() if value is not UNSET}
    given.pop("issuer", None)  # the lookup returns it with its key
    secret = given.pop("client_secret", None)
    values: dict[str, Any] = given
    if "algorithms" in given:
        values["algorithms"] = _algorithms(given["algorithms"])
    if "scopes" in given:
        values["scopes"] = _scopes(given["scopes"])
    wanted = given.get("auth_method", method)
    by_key = "private_key_jwt"
    if secret is not None or (wanted != method and by_key in (wanted, method)):
        values |= await _credentials(wanted, secret)
        values["secret"] = queries.seal(tx, connection_id, values["secret"])
    return values


async def _credentials(method: str, secret: str | None) -> dict[str, Any]:
    if method == "private_key_jwt":
        private, public = await asyncio.to_thread(token_endpoint.make_key)
        return {"auth_method": method, "secret": private, "public_key": public}
    if not secret:
        raise BusinessRule("client_secret_missing")
    return {"auth_method": method, "secret": secret, "public_key": None}


def _of_provider(tx: Tx, provider: Provider) -> dict[str, Any]:
    return {
        "issuer": provider.issuer,
        "document": to_builtins(provider.document),
        "document_read_at": tx.now,
        "keys": provider.keys,
        "keys_read_at": tx.now,
        "keys_fresh_until": tx.now + rules.lifetime(provider.keys_max_age),
    }


def _algorithms(requested: list[str] | None) -> list[str]:
    if requested is None:
        return list(rules.DEFAULT_ALGORITHMS)
    if not requested or any(each not in rules.ALGORITHMS for each in requested):
        raise BusinessRule("algorithm_unknown")
    return list(dict.fromkeys(requested))


def _scopes(text: str) -> str:
    """Returns the scopes, including the one that OpenID Connect requires."""
    return " ".join(dict.fromkeys(["openid", *text.split()]))


def _list_members(values: dict[str, Any]) -> list[str]:
    """Returns the changed members, without derived columns."""
    return [
        name
        for name in values
        if name not in ("document_read_at", "keys_read_at", "keys_fresh_until", "keys")
    ]
