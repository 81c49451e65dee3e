"""/login/forgotten and /login/reset: a person chooses a new password by a mailed link."""

from msgspec import Struct

from trilha.access.sessions import actions
from trilha.access.sessions.identity import LOGIN
from trilha.core.types import Email
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, Form, redirect, render, say, translate
from trilha.people.users.schema import Password
from trilha.platform.tenants.schema import TypedSlug
from trilha.web.login.forms import Start, rebuild_form
from trilha.web.login.welcome import Welcome

routes = Routes("Password resets", "Choosing a new password by a mailed link.")
say(reset_link_invalid=N_("This link was already used or has expired. Request a new one."))


class PasswordResetRequest(Struct, frozen=True):
    tenant_slug: TypedSlug
    email: Email


class ChosenPassword(Struct, frozen=True):
    new_password: Password


@routes.get("/forgotten", access=PUBLIC)
async def show_reset_request(
    request: Request, query: Start, welcome: Welcome, refusal: Refusal | None = None
) -> Html:
    """Ask for a link to set a new password."""
    if refusal is not None:
        return await _render_refused(request, welcome, "login/request_reset.html", refusal)
    slug = query.tenant or welcome.slug_of(request)
    page = await welcome.page(request, slug)
    return render("login/request_reset.html", page, form=Form({"tenant_slug": slug}))


@routes.post("/forgotten", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_reset_request)
async def request_reset(
    request: Request, form: PasswordResetRequest, sign_in: actions.SignIn, welcome: Welcome
) -> Html:
    """Mail a link if the person exists. The page does not tell whether they do."""
    await sign_in.request_reset(form.tenant_slug, form.email, request)
    page = await welcome.page(request, form.tenant_slug)
    return render("login/reset_sent.html", page, email=form.email, tenant_slug=form.tenant_slug)


@routes.get("/reset/{token}", access=PUBLIC)
async def show_reset(
    request: Request, token: str, sign_in: actions.SignIn, welcome: Welcome, refusal: Refusal | None = None
) -> Html:
    """Ask for the new password if the link still works."""
    ticket = await sign_in.find_reset(token)
    page, _ = await welcome.page_of_tenant(request, ticket.tenant_id if ticket else None)
    if ticket is None:
        return render("login/reset_link_invalid.html", page, status=422)
    form = Form() if refusal is None else rebuild_form(refusal)
    status, minimum = 200 if refusal is None else 422, ticket.password_minimum
    return render("login/new_password.html", page, status=status, form=form, minimum=minimum)


@routes.post("/reset/{token}", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_reset)
async def reset_password(
    request: Request, token: str, form: ChosenPassword, sign_in: actions.SignIn, welcome: Welcome
) -> Answer:
    """Set the new password by the mailed link."""
    ticket = await sign_in.find_reset(token)
    page, slug = await welcome.page_of_tenant(request, ticket.tenant_id if ticket else None)
    await sign_in.reset_password(token, form.new_password, request)
    message = translate(page, N_("Your password was saved. Sign in with it now."))
    return redirect(request, f"/login?tenant={slug}", "ok", message)


async def _render_refused(request: Request, welcome: Welcome, template: str, refusal: Refusal) -> Html:
    page = await welcome.page(request, str(refusal.values.get("tenant_slug", "")))
    return render(template, page, status=422, form=rebuild_form(refusal))
