"""/login/sso: signing in with the company's own provider, from the address typed to the session."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Database
from trilha.core.errors import NotFound, invalid
from trilha.core.types import STORABLE, Email, Text
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.login.welcome import Welcome, readable
from trilha.pages import HEADERS, lead, render
from trilha.sso import enforcement, queries
from trilha.sso.domains.api import find, start_path
from trilha.sso.domains.unscoped import Provider
from trilha.sso.schema import Connection
from trilha.tenants import unscoped as tenants
from trilha.tenants.schema import TypedSlug

routes = Routes("Sign-in with a provider", "To a company's own provider, and back from it.")
_Reference = Annotated[str, Meta(max_length=40, extra_json_schema=STORABLE)]
_Next = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]


class CompanyOrEmail(Text):
    """A company by its short name, or a person's e-mail address, which leads to their company's provider."""

    __slots__ = ()
    codes = ("invalid_value", "invalid_email")

    @classmethod
    def normalise(cls, text: str) -> str:
        return Email.normalise(text) if "@" in text else TypedSlug.normalise(text)


class Way(Struct, frozen=True):
    """One provider that a company's people may sign in with, and where that begins."""

    name: str
    href: str


class Ways(Struct, frozen=True):
    """How people of a company sign in. Where `required`, a password is for a few administrators alone."""

    providers: list[Way] = []
    required: bool = False


class Arrival(Struct, frozen=True):
    """`reference` is told where the provider's answer was refused, by the sign of the company `tenant`."""

    reference: _Reference = ""
    tenant: str = ""


class Onward(Struct, frozen=True):
    """Where a sign-in begins, as `start_path` has it."""

    tenant_slug: TypedSlug
    connection: UUID
    return_to: _Next = ""


async def ways_of(database: Database, slug: str, wanted: str) -> Ways:
    """None of a company that is unknown or suspended. `wanted` is where to go on to, a path of ours."""
    async with database.unscoped() as asked:
        tenant = await tenants.find_by_slug(asked, slug) if slug else None
    if tenant is None or tenant.status != "ACTIVE":
        return Ways()
    async with database.transaction(tenant.id, read_only=True) as tx:
        enabled = [each for each in await queries.list_all(tx) if each.enabled]
        required = bool(enabled) and await enforcement.is_required(tx)
    return Ways([_way(slug, each, wanted) for each in enabled], required)


def _way(slug: str, connection: Connection, wanted: str) -> Way:
    provider = Provider(slug, connection.id, connection.kind)
    return Way(connection.name, start_path(provider, wanted))


async def lead_to_provider(database: Database, request: Request, email: str, wanted: str) -> Answer:
    """Of the domain of this address. Raises Invalid (no_provider)."""
    provider = await find(database, email.rpartition("@")[2])
    if provider is None:
        raise invalid("tenant_slug", "no_provider")
    address = start_path(provider, wanted).removeprefix("/api/sso/")
    kind, _, query = address.partition("/start?")
    return lead(request, f"/login/sso/{kind}?{query}")


@routes.get("/sso/{protocol}", access=PUBLIC)
async def lead_on(request: Request, protocol: str, query: Onward, welcome: Welcome) -> Html:
    """On to the provider, by a page of ours: after a form was sent, browsers go nowhere else."""
    if protocol not in ("oidc", "saml"):
        raise NotFound("route_not_found")
    page = await welcome.page(request, query.tenant_slug)
    provider = Provider(query.tenant_slug, query.connection, protocol)
    href = start_path(provider, query.return_to)
    request.answer_headers.append((b"refresh", f"0; url={href}".encode()))
    return render("login/onward.html", page, href=href)


@routes.get("/sso", access=PUBLIC, headers={**HEADERS, "referrer-policy": "no-referrer"})
async def arrive(request: Request, query: Arrival, welcome: Welcome) -> Html:
    """Change the ticket in the fragment for a session, which scripts do, and go on."""
    slug = readable(query.tenant) or welcome.slug_of(request)
    page = await welcome.page(request, slug)
    template = "login/refused.html" if query.reference else "login/arrival.html"
    return render(template, page, reference=query.reference, tenant_slug=slug)
