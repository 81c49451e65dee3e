"""/api/sso: the last step of every sign-in with a provider."""

from trilha.access.sessions.schema import SignInResult
from trilha.access.sso.exchanging import Exchanges
from trilha.access.sso.schema import Exchange
from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes

routes = Routes("Single sign-on", "Sign-in with a company's identity provider.")


@routes.post(
    "/sso/exchange",
    access=PUBLIC,
    max_body=8192,
    headers={"cache-control": "no-store", "referrer-policy": "no-referrer"},
    errors=["ticket_invalid", "cross_site_request"],
)
async def exchange_ticket(
    data: Exchange, request: Request, caller: Caller, exchanges: Exchanges
) -> SignInResult:
    """Exchange a ticket for a session, in the browser that began the sign-in.

    A ticket works once, within 60 seconds. The session token is returned and set as a cookie, as by `POST
    /api/auth/login`. Presenting a used ticket again, or from another browser, ends the session it was
    exchanged for.
    """
    person = await exchanges.exchange(data.ticket, request, caller)
    return SignInResult(person.session.token, person.session.expires_at, person.user, person.unfinished)
