"""GET /api/sso/discover: whether and where the people of a domain sign in with a provider."""

from typing import Annotated, Literal
from urllib.parse import urlencode

from msgspec import Meta, Struct

from trilha.access.sessions.api import PublicAddress
from trilha.access.sso.domains import unscoped
from trilha.access.sso.domains.limits import DISCOVER
from trilha.access.sso.domains.rules import normalize_or_empty
from trilha.access.sso.domains.unscoped import Provider
from trilha.core.database import Database
from trilha.core.types import STORABLE
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes

routes = Routes("Discovery", "Which provider the people of a domain sign in with.")


class DiscoverQuery(Struct, frozen=True, forbid_unknown_fields=True):
    domain: Annotated[
        str,
        Meta(
            description="What is behind the @ of an e-mail address.",
            max_length=1000,
            examples=["example.com"],
            extra_json_schema=STORABLE,
        ),
    ]


class Discovery(Struct, frozen=True):
    """How a domain's people sign in. Send the browser to `init_url`. Without a provider, the other members
    are null.
    """

    sso: bool
    provider: Literal["OIDC", "SAML"] | None = None
    init_url: (
        Annotated[
            str,
            Meta(
                examples=["https://learn.example.com/api/sso/oidc/start?tenant_slug=acme"],
                extra_json_schema={"format": "uri"},
            ),
        ]
        | None
    ) = None


@routes.get("/sso/discover", access=PUBLIC, rate_limit=DISCOVER)
async def discover(query: DiscoverQuery, database: Database, address: PublicAddress) -> Discovery:
    """Find out where the people of a domain sign in.

    The response for an unverified or invalid domain is the same and takes the same time.
    """
    found = await find(database, query.domain)
    if found is None:
        return Discovery(sso=False)
    provider: Literal["OIDC", "SAML"] = "SAML" if found.kind == "SAML" else "OIDC"
    return Discovery(sso=True, provider=provider, init_url=f"{address}{start_path(found)}")


async def find(database: Database, text: str) -> Provider | None:
    """Finds the provider, with one lookup whatever the text is."""
    async with database.unscoped() as asked:
        return await unscoped.find_provider(asked, normalize_or_empty(text))


def start_path(provider: Provider, return_to: str = "") -> str:
    """Returns the path of ours at which a sign-in with the provider begins."""
    query = {"tenant_slug": provider.tenant_slug, "connection": str(provider.connection_id)}
    if return_to:
        query["return_to"] = return_to
    return f"/api/sso/{provider.kind.lower()}/start?{urlencode(query)}"
