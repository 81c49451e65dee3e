"""/login/passkey: signing in with a passkey."""

from msgspec import Struct

from trilha.access.sessions import actions
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.identity import LOGIN
from trilha.access.sessions.passkeys import signing_in
from trilha.access.sessions.passkeys.schema import AnswerText
from trilha.core.database import Database
from trilha.core.errors import BusinessRule, Unauthenticated
from trilha.core.web.answers import Answer, Json
from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, lead
from trilha.platform.tenants.schema import Slug
from trilha.web.login.forms import Next
from trilha.web.login.pages import find_next_page, render_refused_sign_in
from trilha.web.login.welcome import Welcome

routes = Routes("Sign-in with a passkey", "From the challenge to the session.")
_SENTENCES = {
    "passkey_refused": N_("We could not sign you in with this passkey. Try again, or use your password."),
    "passkeys_unavailable": N_("Your company does not allow passkeys. Use your password."),
}


class OptionsForm(Struct, frozen=True):
    tenant_slug: Slug
    next: Next = ""


class PasskeyForm(Struct, frozen=True):
    tenant_slug: Slug
    credential: AnswerText
    next: Next = ""


@routes.post("/passkey/options", access=PUBLIC, rate_limit=LOGIN, max_body=8192)
async def begin_sign_in(
    request: Request, form: OptionsForm, database: Database, address: PublicAddress
) -> Json:
    """Return the options with which the browser asks for a passkey."""
    return Json(await signing_in.begin(database, request, form.tenant_slug, address))


@routes.post("/passkey", access=PUBLIC, rate_limit=LOGIN, max_body=32 * 1024)
async def log_in_by_passkey(
    request: Request,
    form: PasskeyForm,
    caller: Caller,
    sign_in: actions.SignIn,
    welcome: Welcome,
    database: Database,
    address: PublicAddress,
) -> Answer:
    """Sign in with a passkey."""
    try:
        person = await signing_in.finish(
            database, request, caller, sign_in, form.tenant_slug, form.credential, address
        )
    except (BusinessRule, Unauthenticated) as failure:
        sent = {"tenant_slug": form.tenant_slug, "next": form.next}
        return await render_refused_sign_in(
            request, welcome, database, Refusal(sent, failure), address, **_SENTENCES
        )
    return lead(request, find_next_page(person.user.role, person.unfinished, form.next))
