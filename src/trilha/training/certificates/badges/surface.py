"""/badges: what verifiers of badges read. Open to any website."""

from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Database
from trilha.core.errors import NotFound
from trilha.core.types import InvalidValue
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.platform.tenants import unscoped as tenants
from trilha.platform.tenants.schema import Slug, Tenant
from trilha.training.certificates.badges import credentials, keys, queries
from trilha.training.certificates.badges.credentials import LIST_LENGTH, Place
from trilha.training.certificates.links import Links

_HEADERS = {
    "access-control-allow-origin": "*",
    # How long a revoked badge may still appear valid.
    "cache-control": "public, max-age=300",
}
routes = Routes("Badges", "What verifies a badge.")


@routes.get("/{slug}", access=PUBLIC, headers=_HEADERS)
async def get_badge_issuer(database: Database, links: Links, slug: str) -> Answer:
    """Get the issuer profile of the company that issues badges."""
    tenant = await _find(database, slug)
    return _json(credentials.issuer_profile(Place(links.address, slug), tenant.name))


@routes.get("/{slug}/keys.json", access=PUBLIC, headers=_HEADERS)
async def list_badge_keys(database: Database, slug: str) -> Answer:
    """List every key that has signed the company's badges, as a JWK Set."""
    return _json({"keys": await _keys(database, slug)})


@routes.get("/{slug}/keys/{kid}", access=PUBLIC, headers=_HEADERS)
async def get_badge_key(database: Database, slug: str, kid: str) -> Answer:
    """Get one key as a JWK. A badge's `kid` is this address."""
    found = [each for each in await _keys(database, slug) if each["kid"] == kid]
    if not found:
        raise NotFound("route_not_found")
    return _json(found[0])


@routes.get("/{slug}/status/{number}", access=PUBLIC, headers=_HEADERS)
async def get_badge_status_list(database: Database, links: Links, slug: str, number: str) -> Answer:
    """Get a signed list of revoked badges, valid for one day (Bitstring Status List 1.0)."""
    tenant = await _find(database, slug)
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        raise NotFound("route_not_found")
    return Answer(
        200,
        await _status_list(database, Place(links.address, slug), tenant.id, int(number)),
        [(b"content-type", b"application/vc+jwt")],
    )


async def _status_list(database: Database, place: Place, tenant_id: UUID, number: int) -> bytes:
    first = number * LIST_LENGTH
    last = first + LIST_LENGTH - 1
    async with database.transaction(tenant_id) as tx:
        if not await queries.has_any(tx, first, last):
            raise NotFound("route_not_found")
        revoked = await queries.list_revoked(tx, first, last)
        key = await keys.signing(tx)
        return credentials.status_list(place, key, number, revoked, tx.now).encode()


async def _keys(database: Database, slug: str) -> list[dict[str, Any]]:
    tenant = await _find(database, slug)
    async with database.transaction(tenant.id, read_only=True) as tx:
        return await queries.list_public(tx)


async def _find(database: Database, slug: str) -> Tenant:
    try:
        known = Slug.parse(slug)
    except InvalidValue:
        raise NotFound("route_not_found") from None
    async with database.unscoped() as unscoped:
        tenant = await tenants.find_by_slug(unscoped, known)
    if tenant is None:
        raise NotFound("route_not_found")
    return tenant


def _json(value: object) -> Answer:
    return Answer(200, msgspec.json.encode(value), [(b"content-type", b"application/json")])


SURFACE = Surface(name="badges", prefixes=["/badges"], features=[routes], https="redirect")
