"""/login: asks for the company, then e-mail and password, then the unfinished steps of the sign-in."""

from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from trilha.access.permissions.roles import PANEL, ROLES
from trilha.access.permissions.viewer import HAS_SESSION, UnfinishedStep, Viewer, viewer_of
from trilha.access.sessions import actions
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.identity import COOKIE, LOGIN, CsrfTokens
from trilha.access.sessions.schema import Login, TypedCode, TypedPassword
from trilha.access.sessions.view import page_of_viewer, step_before
from trilha.access.sso.saml.signing_out import SamlSignOut
from trilha.core.database import Database, Tx
from trilha.core.errors import Unauthenticated
from trilha.core.types import Email
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, Form, lead, own_address, page_of, redirect, render, say, translate
from trilha.people.users.schema import Password, Role
from trilha.platform.tenants.schema import Slug
from trilha.web.learn.security.error_messages import WRONG_CODE
from trilha.web.learn.view import HOME as LEARN
from trilha.web.login.forms import Next, Start, rebuild_form
from trilha.web.login.providers import CompanyOrEmail, lead_to_provider, load_sign_in_options
from trilha.web.login.welcome import Welcome, parse_slug
from trilha.web.panel.view import HOME as PANEL_HOME

routes = Routes("Sign-in", "Signing in and out.")
say(
    invalid_login=N_("The e-mail or password is incorrect. Check both and try again."),
    wrong_code=WRONG_CODE,
    second_factor_locked=N_(
        "You entered too many wrong codes. Try again in an hour, or ask an administrator of your company to "
        "unlock your two-step verification."
    ),
)


class Company(Struct, frozen=True):
    tenant_slug: CompanyOrEmail
    next: Next = ""


class SignInForm(Struct, frozen=True):
    tenant_slug: Slug
    email: Email
    password: TypedPassword
    next: Next = ""


class NextQuery(Struct, frozen=True):
    next: Next = ""


class Code(Struct, frozen=True):
    code: TypedCode
    next: Next = ""


class NewPassword(Struct, frozen=True):
    current_password: TypedPassword
    new_password: Password
    next: Next = ""


def get_home(role: Role) -> str:
    return PANEL_HOME if ROLES[role] & PANEL else LEARN


def find_next_page(role: Role, unfinished: UnfinishedStep | None, return_to: str = "") -> str:
    """Returns the path to go to after signing in, or after a step of it."""
    own = own_address(return_to) if return_to else "/"
    return_to = "" if own == "/" or own.startswith("/login") else own
    return step_before(unfinished, return_to) if unfinished else return_to or get_home(role)


@routes.get("", access=PUBLIC)
async def show_login(
    request: Request,
    query: Start,
    welcome: Welcome,
    caller: Caller,
    database: Database,
    address: PublicAddress,
    refusal: Refusal | None = None,
) -> Answer:
    """Ask for the company, unless the address or the host names it; then for its provider or a password.

    A person who is already signed in there is redirected.
    """
    if refusal is not None:
        return await render_refused_sign_in(request, welcome, database, refusal, address)
    slug = query.tenant or welcome.slug_of(request)
    if (viewer := _find_viewer(caller)) and slug in ("", viewer.tenant_slug):
        return lead(request, find_next_page(viewer.role, viewer.unfinished_step, query.next))
    if not slug:
        return render("login/company.html", page_of(request), form=Form({"next": query.next}))
    page = await welcome.page(request, slug)
    ways = await load_sign_in_options(database, slug, query.next, address)
    form = Form({"tenant_slug": slug, "next": query.next})
    by_password = query.password or not ways.required
    return render("login/password.html", page, form=form, ways=ways, by_password=by_password)


@routes.get("/company", access=PUBLIC)
async def show_company(request: Request, query: Start, refusal: Refusal | None = None) -> Html:
    """Ask for the company, whichever one the host names."""
    if refusal is None:
        return render("login/company.html", page_of(request), form=Form({"next": query.next}))
    return render("login/company.html", page_of(request), status=422, form=rebuild_form(refusal))


@routes.post("/company", access=PUBLIC, max_body=8192, refused=show_company)
async def choose_company(request: Request, form: Company, database: Database) -> Answer:
    """Redirect to the company's own sign-in, or to the provider of the e-mail address's domain."""
    if "@" in form.tenant_slug:
        return await lead_to_provider(database, request, form.tenant_slug, form.next)
    following = f"&next={quote(form.next, safe='/')}" if form.next else ""
    return lead(request, f"/login?tenant={quote(form.tenant_slug)}{following}")


@routes.post("", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_login)
async def log_in(
    request: Request,
    form: SignInForm,
    caller: Caller,
    sign_in: actions.SignIn,
    welcome: Welcome,
    database: Database,
    address: PublicAddress,
) -> Answer:
    """Sign in with e-mail and password."""
    login = Login(tenant_slug=form.tenant_slug, email=form.email, password=form.password)
    try:
        sign_in_result = await sign_in.by_password(login, request, caller)
    except Unauthenticated as failure:
        return await render_refused_sign_in(
            request, welcome, database, Refusal(request.sent, failure), address
        )
    return lead(request, find_next_page(sign_in_result.user.role, sign_in_result.unfinished, form.next))


@routes.get("/code", access=HAS_SESSION)
async def show_code(
    request: Request, query: NextQuery, tokens: CsrfTokens, caller: Caller, refusal: Refusal | None = None
) -> Html:
    """Ask for the code of the authenticator app."""
    return _render_step(request, query, caller, tokens, "login/code.html", refusal)


@routes.post("/code", access=HAS_SESSION, rate_limit=LOGIN, max_body=8192, refused=show_code)
async def pass_second_factor(
    request: Request, caller: Caller, form: Code, database: Database, address: PublicAddress
) -> Answer:
    """Finish signing in with a code."""
    viewer = viewer_of(caller)
    await actions.pass_second_factor(database, caller, form.code, request, address)
    passed = replace(viewer, second_factor="passed")
    return lead(request, find_next_page(viewer.role, passed.unfinished_step, form.next))


@routes.get("/password", access=HAS_SESSION)
async def show_password(
    request: Request, query: NextQuery, tokens: CsrfTokens, caller: Caller, refusal: Refusal | None = None
) -> Html:
    """Ask for a new password."""
    return _render_step(request, query, caller, tokens, "login/change_password.html", refusal)


@routes.post("/password", access=HAS_SESSION, rate_limit=LOGIN, max_body=8192, refused=show_password)
async def change_password(
    request: Request, caller: Caller, form: NewPassword, database: Database, address: PublicAddress
) -> Answer:
    """Change the password."""
    await actions.choose_password(
        database, caller, request, form.current_password, form.new_password, address
    )
    viewer = replace(viewer_of(caller), must_change_password=False)
    message = translate(
        page_of(request), N_("Your password was changed, and your other sessions were signed out.")
    )
    return redirect(request, find_next_page(viewer.role, viewer.unfinished_step, form.next), "ok", message)


async def render_refused_sign_in(
    request: Request,
    welcome: Welcome,
    database: Database,
    refusal: Refusal,
    address: str,
    **sentences: str,
) -> Html:
    """Renders the sign-in page anew. `sentences` are msgids by error code."""
    slug = str(refusal.values.get("tenant_slug", ""))
    page = await welcome.page(request, slug)
    following = str(refusal.values.get("next", ""))
    ways = await load_sign_in_options(database, parse_slug(slug), following, address)
    form = rebuild_form(refusal, **sentences)
    return render("login/password.html", page, status=422, form=form, ways=ways, by_password=True)


def _render_step(
    request: Request,
    query: NextQuery,
    caller: Caller,
    tokens: CsrfTokens,
    template: str,
    refusal: Refusal | None,
) -> Html:
    """Renders a page of a step between the password and the person's own pages."""
    viewer = viewer_of(caller)
    page = page_of_viewer(request, viewer, tokens.token(caller))
    if refusal is None:
        return render(template, page, form=Form({"next": query.next}), viewer=viewer)
    return render(template, page, status=422, form=rebuild_form(refusal), viewer=viewer)


def _find_viewer(caller: Caller) -> Viewer | None:
    """Returns the viewer of a live session, finished or not, or None."""
    return None if caller.failure is not None or caller.credential is None else viewer_of(caller)


leaving = Routes("Sign-out", "Ending a session.")


class SignOutForm(Struct, frozen=True):
    """The sign-out button of the menu."""


@leaving.post("", access=HAS_SESSION, max_body=8192)
async def log_out(
    tx: Tx, request: Request, caller: Caller, form: SignOutForm, sign_out: SamlSignOut, welcome: Welcome
) -> Answer:
    """End this session, and then the one at the company's provider that it began with."""
    viewer = viewer_of(caller)
    provider = await sign_out.begin(tx, viewer.session_id)
    await actions.end(tx, viewer, viewer.session_id)
    COOKIE.clear(request)
    request.answer_headers.append((b"clear-site-data", b'"cache"'))
    if provider is None:
        return lead(request, f"/login?tenant={viewer.tenant_slug}")
    # Our content policy lets a form lead only to our own pages; a page may redirect anywhere.
    page = await welcome.page(request, viewer.tenant_slug)
    request.answer_headers.append((b"refresh", f"0; url={provider}".encode()))
    return render("login/signed_out.html", page, provider=provider)


front = Routes("Start page", "The address without a path.")


@front.get("/", access=PUBLIC)
async def show_front(request: Request, caller: Caller) -> Answer:
    """Redirect a signed-in person to their home page; show everybody else the public pages."""
    if viewer := _find_viewer(caller):
        return lead(request, find_next_page(viewer.role, viewer.unfinished_step))
    return render("login/start_page.html", page_of(request))
