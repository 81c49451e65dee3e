"""Calls that return the error codes of sign-in with a provider."""

from collections.abc import Mapping
from uuid import UUID, uuid4

import httpx2

from conftest import World
from contract.quiz_calls import Act, Call, acting
from trilha.access.sso import actions, enforcement, queries
from trilha.access.sso.oidc import actions as oidc
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.oidc.schema import Document, NewOidcConnection, Provider
from trilha.access.sso.saml.actions import MetadataReader
from trilha.core.database import Tx
from trilha.core.outbound.fetching import Fetcher
from trilha.core.outbound.guard import Guard
from trilha.core.types import Name

_DOCUMENT = Document(authorization_endpoint="", token_endpoint="", jwks_uri="")
_PROVIDER = Provider("https://idp.test", _DOCUMENT, [], None)


async def _connection(tx: Tx) -> UUID:
    new = NewOidcConnection(name=Name("A"), issuer="https://idp.test", client_id="a", client_secret="b")
    return (await oidc.create(tx, new, _PROVIDER)).connection.id


async def _without_domain(tx: Tx) -> None:
    await actions.enable(tx, await _connection(tx))


async def _required(tx: Tx) -> UUID:
    """Creates a state in which sign-in with a provider is required, and only one connection is enabled."""
    connection_id = await _connection(tx)
    await queries.update(tx, connection_id, {"enabled": True})
    await enforcement._set(tx, True)
    return connection_id


async def _disable_the_last(tx: Tx) -> None:
    await actions.disable(tx, await _required(tx))


async def _require_without_way_back(tx: Tx) -> None:
    await queries.update(tx, await _connection(tx), {"enabled": True})
    await enforcement.require(tx)


async def _unlink_nobody(tx: Tx) -> None:
    await actions.unlink(tx, await _connection(tx), uuid4())


async def _without_secret(tx: Tx) -> None:
    new = NewOidcConnection(name=Name("A"), issuer="https://idp.test", client_id="a")
    await oidc.create(tx, new, _PROVIDER)


async def _by_a_shared_key(tx: Tx) -> None:
    new = NewOidcConnection(
        name=Name("A"), issuer="https://idp.test", client_id="a", client_secret="b", algorithms=["HS256"]
    )
    await oidc.create(tx, new, _PROVIDER)


async def _look_inside(tx: Tx) -> None:
    guard = Guard()
    await oidc.look_up(Discovery(Fetcher(guard), guard), tx.tenant_id, "https://127.0.0.1")


async def _exchange_nothing(world: World) -> httpx2.Response:
    return await world.client().post("/api/sso/exchange", json={"ticket": "A" * 43})


async def _no_metadata(tx: Tx) -> None:
    await _reader().look_up(tx.tenant_id, None, None)


async def _metadata_of_nobody(tx: Tx) -> None:
    await _reader().look_up(tx.tenant_id, "<x/>", None)


def _reader() -> MetadataReader:
    return MetadataReader(Fetcher(Guard()), Guard())


_ACTS: Mapping[str, Act] = {
    "connection_not_found": lambda tx: actions.enable(tx, uuid4()),
    "no_verified_domain": _without_domain,
    "last_connection": _disable_the_last,
    "no_enabled_connection": enforcement.require,
    "no_break_glass": _require_without_way_back,
    "person_not_linked": _unlink_nobody,
    "not_an_administrator": lambda tx: enforcement.set_break_glass(tx, uuid4(), allowed=True),
    "client_secret_missing": _without_secret,
    "algorithm_unknown": _by_a_shared_key,
    "provider_not_usable": _look_inside,
    "metadata_missing": _no_metadata,
    "metadata_not_usable": _metadata_of_nobody,
}
SSO_CALLS: Mapping[str, Call] = {code: acting(act) for code, act in _ACTS.items()} | {
    "ticket_invalid": _exchange_nothing
}
