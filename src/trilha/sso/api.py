"""/api/sso: the end of every sign-in by a provider."""

from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.sessions.schema import SignInResult
from trilha.sso.exchanging import Exchanges
from trilha.sso.schema import Exchange

routes = Routes("Single sign-on", "Signing in with a company's own provider.")


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
    """Change a ticket for a session, in the browser that began to sign in.

    A ticket is good once, for 60 seconds. The token is answered and set as a cookie, as at
    `POST /api/auth/login`. Whoever brings a ticket that was used ends the session that it became.
    """
    person = await exchanges.exchange(data.ticket, request, caller)
    return SignInResult(person.session.token, person.session.expires_at, person.user, person.unfinished)
