"""/login/sso: signing in with the company's own provider, from the e-mail address to the session."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.sessions.passkeys.signing_in import offers_passkeys
from trilha.access.sso import enforcement, queries
from trilha.access.sso.domains.api import find, start_path
from trilha.access.sso.domains.unscoped import Provider
from trilha.access.sso.schema import Connection
from trilha.core.database import Database
from trilha.core.errors import NotFound, invalid
from trilha.core.types import STORABLE, Email, Text
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.kit import HEADERS, lead, render
from trilha.platform.tenants import unscoped as tenants
from trilha.platform.tenants.schema import TypedSlug
from trilha.web.login.welcome import Welcome, parse_slug

routes = Routes("Sign-in with a provider", "Redirects to a company's own provider, and the way back.")
_Reference = Annotated[str, Meta(max_length=40, extra_json_schema=STORABLE)]
_Next = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]


class CompanyOrEmail(Text):
    """A company's short name, or an e-mail address whose domain leads to a company's provider."""

    __slots__ = ()
    codes = ("invalid_value", "invalid_email")

    @classmethod
    def normalise(cls, text: str) -> str:
        return Email.normalise(text) if "@" in text else TypedSlug.normalise(text)


class ProviderLink(Struct, frozen=True):
    """One provider that a company's people may sign in with, and the address where that begins."""

    name: str
    href: str


class SignInOptions(Struct, frozen=True):
    """How people of a company sign in. If `required`, only emergency access may use a password or a
    passkey.
    """

    providers: list[ProviderLink] = []
    required: bool = False
    passkeys: bool = False


class ProviderReturn(Struct, frozen=True):
    """The return from a provider. `reference` is set if its answer was refused; `tenant` is a slug."""

    reference: _Reference = ""
    tenant: str = ""


class ProviderStart(Struct, frozen=True):
    """The query of a sign-in that begins, as `start_path` writes it."""

    tenant_slug: TypedSlug
    connection: UUID
    return_to: _Next = ""


async def load_sign_in_options(database: Database, slug: str, return_to: str, address: str) -> SignInOptions:
    """Returns how people of a company sign in; no provider if it is unknown or suspended.

    `return_to` is the path of ours to go to after signing in; `address` is the server's own.
    """
    async with database.unscoped() as connection:
        tenant = await tenants.find_by_slug(connection, slug) if slug else None
    if tenant is None or tenant.status != "ACTIVE":
        return SignInOptions()
    async with database.transaction(tenant.id, read_only=True) as tx:
        enabled = [row for row in await queries.list_all(tx) if row.enabled]
        required = bool(enabled) and await enforcement.is_required(tx)
        passkeys = await offers_passkeys(tx, address, slug)
    return SignInOptions([_build_link(slug, row, return_to) for row in enabled], required, passkeys)


def _build_link(slug: str, connection: Connection, return_to: str) -> ProviderLink:
    provider = Provider(slug, connection.id, connection.kind)
    return ProviderLink(connection.name, start_path(provider, return_to))


async def lead_to_provider(database: Database, request: Request, email: str, return_to: str) -> Answer:
    """Redirects to the provider of the address's domain. Raises Invalid (no_provider)."""
    provider = await find(database, email.rpartition("@")[2])
    if provider is None:
        raise invalid("tenant_slug", "no_provider")
    address = start_path(provider, return_to).removeprefix("/api/sso/")
    kind, _, query = address.partition("/start?")
    return lead(request, f"/login/sso/{kind}?{query}")


@routes.get("/sso/{protocol}", access=PUBLIC)
async def show_redirect(request: Request, protocol: str, query: ProviderStart, welcome: Welcome) -> Html:
    """Redirect to the provider by a page of ours: browsers do not follow a form to another site."""
    if protocol not in ("oidc", "saml"):
        raise NotFound("route_not_found")
    page = await welcome.page(request, query.tenant_slug)
    provider = Provider(query.tenant_slug, query.connection, protocol)
    href = start_path(provider, query.return_to)
    request.answer_headers.append((b"refresh", f"0; url={href}".encode()))
    return render("login/sso_redirect.html", page, href=href)


@routes.get("/sso", access=PUBLIC, headers={**HEADERS, "referrer-policy": "no-referrer"})
async def show_return(request: Request, query: ProviderReturn, welcome: Welcome) -> Html:
    """Show the page whose script exchanges the ticket in the fragment for a session."""
    slug = parse_slug(query.tenant) or welcome.slug_of(request)
    page = await welcome.page(request, slug)
    template = "login/sso_failed.html" if query.reference else "login/sso_return.html"
    return render(template, page, reference=query.reference, tenant_slug=slug)
