"""Connections by OpenID Connect, made and changed. Their providers are looked up before the transaction."""

import asyncio
from typing import Any
from uuid import UUID

from msgspec import UNSET, structs, to_builtins

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.sso import actions as shared
from trilha.sso import queries as connections
from trilha.sso.errors import REASONS, SignInRefused
from trilha.sso.oidc import queries, rules, token_endpoint
from trilha.sso.oidc.documents import Discovery
from trilha.sso.oidc.schema import NewOidcConnection, OidcConnection, OidcPatch, Provider


async def look_up(discovery: Discovery, tenant_id: UUID, issuer: str) -> Provider:
    """Outside any transaction. Raises BusinessRule (provider_not_usable), which says why."""
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
    """Not enabled yet. Raises BusinessRule (client_secret_missing, algorithm_unknown)."""
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
    """`provider` is what a new issuer was looked up as. Whoever is on the way to the one before begins anew.

    Raises NotFound, BusinessRule (client_secret_missing, algorithm_unknown).
    """
    connection = await connections.get(tx, connection_id, lock=True)
    before = await queries.get(tx, connection_id)
    values = await _changed(tx, before.auth_method, patch, connection_id)
    if provider is not None:
        values |= _of_provider(tx, provider)
    if not values:
        return OidcConnection(connection, before)
    await queries.update(tx, connection_id, values)
    await connections.end_flows(tx, connection_id)
    if values.get("issuer", before.issuer) != before.issuer:
        # A subject of another provider is somebody else.
        await connections.unlink_all(tx, connection_id)
        await connections.end_sign_ins(tx, connection_id)
    await connections.update(tx, connection_id, {})
    await audit.record(
        tx, "sso.connection_changed", connection_id, connection.name, changed=sorted(_told(values))
    )
    return OidcConnection(await connections.get(tx, connection_id), await queries.get(tx, connection_id))


async def _changed(tx: Tx, method: str, patch: OidcPatch, connection_id: UUID) -> dict[str, Any]:
    given = {name: value for name, value in structs.asdict(patch).items() if value is not UNSET}
    given.pop("issuer", None)  # comes with what it was looked up as
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


def _algorithms(wanted: list[str] | None) -> list[str]:
    if wanted is None:
        return list(rules.DEFAULT_ALGORITHMS)
    if not wanted or any(each not in rules.ALGORITHMS for each in wanted):
        raise BusinessRule("algorithm_unknown")
    return list(dict.fromkeys(wanted))


def _scopes(text: str) -> str:
    """With the one that makes it OpenID Connect."""
    return " ".join(dict.fromkeys(["openid", *text.split()]))


def _told(values: dict[str, Any]) -> list[str]:
    """The members, without what follows from them."""
    return [
        name
        for name in values
        if name not in ("document_read_at", "keys_read_at", "keys_fresh_until", "keys")
    ]
