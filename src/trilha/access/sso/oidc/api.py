"""/api/sso/oidc: the way to the provider and back."""

from trilha.access.sso.oidc.schema import CallbackQuery, StartQuery
from trilha.access.sso.oidc.signing_in import OidcSignIn
from trilha.core.web.answers import Redirect
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes

routes = Routes("Single sign-on by OpenID Connect", "Sign-in with a company's OpenID Connect provider.")
# The URL contains secrets that only we may see.
_HEADERS = {"cache-control": "no-store", "referrer-policy": "no-referrer"}


@routes.get("/sso/oidc/start", access=PUBLIC, status=302, headers=_HEADERS, tells=["Location=Redirect"])
async def start_oidc_sign_in(query: StartQuery, request: Request, sign_in: OidcSignIn) -> Redirect:
    """Send the browser to the company's provider.

    If that is not possible, the browser is sent to a page with a reference, by which administrators find the
    reason in the sign-in log.
    """
    return Redirect(await sign_in.start(query, request), 302)


@routes.get("/sso/oidc/callback", access=PUBLIC, status=302, headers=_HEADERS, tells=["Location=Redirect"])
async def finish_oidc_sign_in(query: CallbackQuery, request: Request, sign_in: OidcSignIn) -> Redirect:
    """Receive the provider's answer. The browser is redirected with a ticket in the URL's fragment.

    Exchange the ticket with `POST /api/sso/exchange`.
    """
    return Redirect(await sign_in.finish(query, request), 302)
