"""/api/sso/saml: the way to the provider and back, and our metadata."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import replace

from trilha.access.sessions.identity import came_from_us
from trilha.access.sso import completion, flows
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.saml.documents import MAX_BYTES
from trilha.access.sso.saml.idp_initiated import Waiting, go_on
from trilha.access.sso.saml.own_metadata import MEDIA_TYPE, own_metadata
from trilha.access.sso.saml.schema import StartQuery
from trilha.access.sso.saml.signing_in import SamlSignIn
from trilha.access.sso.saml.signing_out import SamlSignOut
from trilha.core.database import Database
from trilha.core.errors import Forbidden, NotFound
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Redirect, TypedAnswer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, RawBody, Routes
from trilha.kit import HEADERS, brand, locale_of, page_of, render
from trilha.platform.tenants import unscoped as tenants

routes = Routes("Single sign-on by SAML", "Sign-in with a company's SAML provider.")
# The URL contains secrets that only we may see.
_HEADERS = {"cache-control": "no-store", "referrer-policy": "no-referrer"}


class Metadata(TypedAnswer):
    __slots__ = ()
    media_type = MEDIA_TYPE


class Continuation(Struct, frozen=True):
    """The form of `continue.html`."""

    continuation: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]
    return_to: Annotated[str, Meta(max_length=2000)] | None = None


@routes.get("/sso/saml/start", access=PUBLIC, status=302, headers=_HEADERS, tells=["Location=Redirect"])
async def start_saml_sign_in(query: StartQuery, request: Request, sign_in: SamlSignIn) -> Redirect:
    """Send the browser to the company's provider.

    If that is not possible, the browser is sent to a page with a reference, by which administrators find the
    reason in the sign-in log.
    """
    return Redirect(await sign_in.start(query, request), 302)


@routes.get("/sso/saml/{connection_id}/metadata", access=PUBLIC, described=False)
async def get_saml_metadata(connection_id: UUID, sign_in: SamlSignIn) -> Answer:
    """Return the metadata that a provider needs for this connection."""
    known = await sign_in.find(connection_id)
    if known is None:
        raise NotFound("connection_not_found")
    detail = known.detail
    return Metadata(
        own_metadata(
            known.own, detail.certificate, signs=detail.sign_requests, encrypted=detail.wants_encrypted
        )
    )


@routes.post(
    "/sso/saml/{connection_id}/acs",
    access=PUBLIC,
    max_body=MAX_BYTES,
    headers={**HEADERS, **_HEADERS},
    described=False,
    from_other_sites=True,
)
async def take_saml_response(
    connection_id: UUID,
    data: RawBody,
    request: Request,
    query: AnyQuery,
    sign_in: SamlSignIn,
    database: Database,
) -> Answer:
    """Receive the provider's response. The browser is redirected with a ticket in the URL's fragment."""
    outcome = await sign_in.finish(connection_id, data.content, request)
    if isinstance(outcome, str):
        return Redirect(outcome)
    return await _ask_to_confirm(connection_id, outcome, request, database)


async def _ask_to_confirm(
    connection_id: UUID, waiting: Waiting, request: Request, database: Database
) -> Answer:
    """Renders the page on which the person confirms an unsolicited sign-in."""
    async with database.unscoped() as asked:
        sign = await tenants.find_sign_of(asked, waiting.tenant_id)
    page = page_of(request)
    if sign is not None:
        page = replace(
            page,
            locale=locale_of(request, None, sign.locale),
            tenant_name=sign.name,
            brand_url=brand.address(sign.brand_colour) if sign.brand_colour else None,
            logo_url=f"/logos/{sign.logo_name}" if sign.logo_name else None,
        )
    return render("sso/saml/continue.html", page, waiting=waiting, connection_id=connection_id)


@routes.post(
    "/sso/saml/{connection_id}/continue",
    access=PUBLIC,
    max_body=8192,
    headers={**HEADERS, **_HEADERS},
    described=False,
)
async def continue_saml_sign_in(
    connection_id: UUID, form: Continuation, request: Request, sign_in: SamlSignIn, database: Database
) -> Redirect:
    """Continue as the person whom the provider has signed in unasked."""
    if not came_from_us(request):
        raise Forbidden("cross_site_request")
    known = await sign_in.find(connection_id)
    if known is None:
        raise NotFound("connection_not_found")
    try:
        return_to = flows.check_return(form.return_to)
        address = await go_on(database, known.tenant_id, connection_id, form.continuation, return_to, request)
    except SignInRefused as refused:
        address = await completion.refuse(database, known.tenant_id, connection_id, refused)
    return Redirect(address)


@routes.get("/sso/saml/{connection_id}/slo", access=PUBLIC, headers=_HEADERS, described=False)
async def take_redirected_saml_logout(
    connection_id: UUID, request: Request, query: AnyQuery, sign_out: SamlSignOut
) -> Redirect:
    """Receive a logout message of the provider, or its answer to ours, from the query."""
    return Redirect(await sign_out.by_redirect(connection_id, request))


@routes.post(
    "/sso/saml/{connection_id}/slo",
    access=PUBLIC,
    max_body=MAX_BYTES,
    headers=_HEADERS,
    described=False,
    from_other_sites=True,
)
async def take_posted_saml_logout(
    connection_id: UUID, data: RawBody, request: Request, query: AnyQuery, sign_out: SamlSignOut
) -> Redirect:
    """Receive a logout message from a form."""
    return Redirect(await sign_out.by_form(connection_id, data.content, request))
