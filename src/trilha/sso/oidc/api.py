"""/api/sso/oidc: to the provider, and back."""

from trilha.core.web.answers import Redirect
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.sso.oidc.schema import CallbackQuery, StartQuery
from trilha.sso.oidc.signing_in import OidcSignIn

routes = Routes("Single sign-on by OpenID Connect", "To a company's provider, and back from it.")
# What the address holds is for us alone.
_HEADERS = {"cache-control": "no-store", "referrer-policy": "no-referrer"}


@routes.get("/sso/oidc/start", access=PUBLIC, status=302, headers=_HEADERS, tells=["Location=Redirect"])
async def start_oidc_sign_in(query: StartQuery, request: Request, sign_in: OidcSignIn) -> Redirect:
    """Lead a browser to the company's provider.

    Where that cannot be done, it is led to a page that tells a reference; administrators find the reason
    under it in the sign-in log.
    """
    return Redirect(await sign_in.start(query, request), 302)


@routes.get("/sso/oidc/callback", access=PUBLIC, status=302, headers=_HEADERS, tells=["Location=Redirect"])
async def finish_oidc_sign_in(query: CallbackQuery, request: Request, sign_in: OidcSignIn) -> Redirect:
    """Take the provider's answer. The browser is led on with a ticket in the fragment of the address.

    `POST /api/sso/exchange` takes the ticket.
    """
    return Redirect(await sign_in.finish(query, request), 302)
