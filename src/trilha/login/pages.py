"""/login: the company, the e-mail address, the password; then what is still unfinished."""

from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from trilha.core.database import Database, Tx
from trilha.core.errors import Unauthenticated
from trilha.core.types import Email
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.learn.security.words import WRONG_CODE
from trilha.learn.view import HOME as LEARN
from trilha.login.forms import Next, Start, shown_again
from trilha.login.providers import CompanyOrEmail, lead_to_provider, ways_of
from trilha.login.welcome import Welcome, readable
from trilha.pages import N_, Form, lead, own_address, page_of, redirect, render, say, translate
from trilha.panel.view import HOME as PANEL_HOME
from trilha.sessions import actions
from trilha.sessions.api import PublicAddress
from trilha.sessions.identity import COOKIE, LOGIN, CsrfTokens
from trilha.sessions.permissions import PANEL, ROLES
from trilha.sessions.schema import Login, TypedCode, TypedPassword, Unfinished
from trilha.sessions.view import page_of_viewer, step_before
from trilha.sessions.viewer import HAS_SESSION, Viewer, viewer_of
from trilha.sso.saml.signing_out import SamlSignOut
from trilha.tenants.schema import Slug
from trilha.users.schema import Password, Role

routes = Routes("Sign-in", "Signing in and out.")
say(
    invalid_login=N_("The e-mail address or the password is wrong."),
    wrong_code=WRONG_CODE,
    second_factor_locked=N_(
        "Too many wrong codes were entered, so codes are not accepted for an hour. To get in sooner, ask an "
        "administrator of your company to unlock your two-step verification."
    ),
)


class Company(Struct, frozen=True):
    tenant_slug: CompanyOrEmail
    next: Next = ""


class Typed(Struct, frozen=True):
    tenant_slug: Slug
    email: Email
    password: TypedPassword
    next: Next = ""


class Onward(Struct, frozen=True):
    next: Next = ""


class Code(Struct, frozen=True):
    code: TypedCode
    next: Next = ""


class NewPassword(Struct, frozen=True):
    current_password: TypedPassword
    new_password: Password
    next: Next = ""


def home_of(role: Role) -> str:
    return PANEL_HOME if ROLES[role] & PANEL else LEARN


def after(role: Role, unfinished: Unfinished | None, wanted: str = "") -> str:
    """Where a person goes who has just signed in, or finished a step of it."""
    own = own_address(wanted) if wanted else "/"
    wanted = "" if own == "/" or own.startswith("/login") else own
    return step_before(unfinished, wanted) if unfinished else wanted or home_of(role)


@routes.get("", access=PUBLIC)
async def show_login(
    request: Request,
    query: Start,
    welcome: Welcome,
    caller: Caller,
    database: Database,
    refusal: Refusal | None = None,
) -> Answer:
    """The company first, unless the address or the host tells it; then its provider, or e-mail and password.

    Who is signed in there already goes on.
    """
    if refusal is not None:
        return await _password_again(request, welcome, database, refusal)
    slug = query.tenant or welcome.slug_of(request)
    if (viewer := _signed_in(caller)) and slug in ("", viewer.tenant_slug):
        return lead(request, after(viewer.role, viewer.unfinished, query.next))
    if not slug:
        return render("login/company.html", page_of(request), form=Form({"next": query.next}))
    page = await welcome.page(request, slug)
    ways = await ways_of(database, slug, query.next)
    form = Form({"tenant_slug": slug, "next": query.next})
    by_password = query.password or not ways.required
    return render("login/password.html", page, form=form, ways=ways, by_password=by_password)


@routes.get("/company", access=PUBLIC)
async def show_company(request: Request, query: Start, refusal: Refusal | None = None) -> Html:
    """Ask for the company, whatever the host tells."""
    if refusal is None:
        return render("login/company.html", page_of(request), form=Form({"next": query.next}))
    return render("login/company.html", page_of(request), status=422, form=shown_again(refusal))


@routes.post("/company", access=PUBLIC, max_body=8192, refused=show_company)
async def choose_company(request: Request, form: Company, database: Database) -> Answer:
    """On to the company's own sign-in; by an e-mail address, to its provider."""
    if "@" in form.tenant_slug:
        return await lead_to_provider(database, request, form.tenant_slug, form.next)
    following = f"&next={quote(form.next, safe='/')}" if form.next else ""
    return lead(request, f"/login?tenant={quote(form.tenant_slug)}{following}")


@routes.post("", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_login)
async def log_in(
    request: Request,
    form: Typed,
    caller: Caller,
    sign_in: actions.SignIn,
    welcome: Welcome,
    database: Database,
) -> Answer:
    """Sign in with e-mail and password."""
    login = Login(tenant_slug=form.tenant_slug, email=form.email, password=form.password)
    try:
        signed = await sign_in.by_password(login, request, caller)
    except Unauthenticated as failure:
        return await _password_again(request, welcome, database, Refusal(request.sent, failure))
    return lead(request, after(signed.user.role, signed.unfinished, form.next))


@routes.get("/code", access=HAS_SESSION)
async def show_code(
    request: Request, query: Onward, tokens: CsrfTokens, caller: Caller, refusal: Refusal | None = None
) -> Html:
    """Ask for the code of the authenticator app."""
    return _step(request, query, caller, tokens, "login/code.html", refusal)


@routes.post("/code", access=HAS_SESSION, rate_limit=LOGIN, max_body=8192, refused=show_code)
async def pass_second_factor(
    request: Request, caller: Caller, form: Code, database: Database, address: PublicAddress
) -> Answer:
    """Finish signing in with a code."""
    viewer = viewer_of(caller)
    await actions.pass_second_factor(database, caller, form.code, request, address)
    passed = replace(viewer, second_factor="passed")
    return lead(request, after(viewer.role, passed.unfinished, form.next))


@routes.get("/password", access=HAS_SESSION)
async def show_password(
    request: Request, query: Onward, tokens: CsrfTokens, caller: Caller, refusal: Refusal | None = None
) -> Html:
    """Ask for a password of one's own."""
    return _step(request, query, caller, tokens, "login/change.html", refusal)


@routes.post("/password", access=HAS_SESSION, rate_limit=LOGIN, max_body=8192, refused=show_password)
async def change_password(
    request: Request, caller: Caller, form: NewPassword, database: Database, address: PublicAddress
) -> Answer:
    """Choose another password."""
    await actions.choose_password(
        database, caller, request, form.current_password, form.new_password, address
    )
    viewer = replace(viewer_of(caller), must_change_password=False)
    done = translate(page_of(request), N_("Your password was changed. You are signed out everywhere else."))
    return redirect(request, after(viewer.role, viewer.unfinished, form.next), "ok", done)


async def _password_again(request: Request, welcome: Welcome, database: Database, refusal: Refusal) -> Html:
    slug = str(refusal.values.get("tenant_slug", ""))
    page = await welcome.page(request, slug)
    ways = await ways_of(database, readable(slug), str(refusal.values.get("next", "")))
    form = shown_again(refusal)
    return render("login/password.html", page, status=422, form=form, ways=ways, by_password=True)


def _step(
    request: Request,
    query: Onward,
    caller: Caller,
    tokens: CsrfTokens,
    template: str,
    refusal: Refusal | None,
) -> Html:
    """A page between the password and the person's own pages."""
    viewer = viewer_of(caller)
    page = page_of_viewer(request, viewer, tokens.token(caller))
    if refusal is None:
        return render(template, page, form=Form({"next": query.next}), viewer=viewer)
    return render(template, page, status=422, form=shown_again(refusal), viewer=viewer)


def _signed_in(caller: Caller) -> Viewer | None:
    """Who has a live session, finished or not."""
    return None if caller.failure is not None or caller.credential is None else viewer_of(caller)


leaving = Routes("Sign-out", "Ending a session.")


class Leaving(Struct, frozen=True):
    """The button of the menu."""


@leaving.post("", access=HAS_SESSION, max_body=8192)
async def log_out(
    tx: Tx, request: Request, caller: Caller, form: Leaving, sign_out: SamlSignOut, welcome: Welcome
) -> Answer:
    """End this session, and then that of the company's provider by which it began."""
    viewer = viewer_of(caller)
    provider = await sign_out.begin(tx, viewer.session_id)
    await actions.end(tx, viewer, viewer.session_id)
    COOKIE.clear(request)
    request.answer_headers.append((b"clear-site-data", b'"cache"'))
    if provider is None:
        return lead(request, f"/login?tenant={viewer.tenant_slug}")
    # A form leads to our own pages alone, by our policy; a page may lead anywhere.
    page = await welcome.page(request, viewer.tenant_slug)
    request.answer_headers.append((b"refresh", f"0; url={provider}".encode()))
    return render("login/leaving.html", page, provider=provider)


front = Routes("Front", "The address without a path.")


@front.get("/", access=PUBLIC)
async def show_front(request: Request, caller: Caller) -> Answer:
    """Lead who is signed in to the right home, and show anybody else what there is."""
    if viewer := _signed_in(caller):
        return lead(request, after(viewer.role, viewer.unfinished))
    return render("login/front.html", page_of(request))
