"""/login/forgotten and /login/reset: another password by a link in a mail."""

from msgspec import Struct

from trilha.core.types import Email
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.login.forms import Start, shown_again
from trilha.login.welcome import Welcome
from trilha.pages import N_, Form, redirect, render, say, translate
from trilha.sessions import actions
from trilha.sessions.identity import LOGIN
from trilha.tenants.schema import TypedSlug
from trilha.users.schema import Password

routes = Routes("Forgotten passwords", "Choosing another password by a mailed link.")
say(reset_link_invalid=N_("This link was used or has expired. Ask for a new one."))


class Forgotten(Struct, frozen=True):
    tenant_slug: TypedSlug
    email: Email


class ChosenPassword(Struct, frozen=True):
    new_password: Password


@routes.get("/forgotten", access=PUBLIC)
async def show_forgotten(
    request: Request, query: Start, welcome: Welcome, refusal: Refusal | None = None
) -> Html:
    """Ask for a link to set a new password."""
    if refusal is not None:
        return await _again(request, welcome, "login/forgotten.html", refusal)
    slug = query.tenant or welcome.slug_of(request)
    page = await welcome.page(request, slug)
    return render("login/forgotten.html", page, form=Form({"tenant_slug": slug}))


@routes.post("/forgotten", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_forgotten)
async def request_reset(request: Request, form: Forgotten, sign_in: actions.SignIn, welcome: Welcome) -> Html:
    """Mail a link, where there is such a person. The page is the same in any case."""
    await sign_in.request_reset(form.tenant_slug, form.email, request)
    page = await welcome.page(request, form.tenant_slug)
    return render("login/sent.html", page, email=form.email, tenant_slug=form.tenant_slug)


@routes.get("/reset/{token}", access=PUBLIC)
async def show_reset(
    request: Request, token: str, sign_in: actions.SignIn, welcome: Welcome, refusal: Refusal | None = None
) -> Html:
    """Ask for the new password, where the link still works."""
    ticket = await sign_in.find_reset(token)
    page, _ = await welcome.page_of_tenant(request, ticket.tenant_id if ticket else None)
    if ticket is None:
        return render("login/used.html", page, status=422)
    form = Form() if refusal is None else shown_again(refusal)
    status, minimum = 200 if refusal is None else 422, ticket.password_minimum
    return render("login/reset.html", page, status=status, form=form, minimum=minimum)


@routes.post("/reset/{token}", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_reset)
async def reset_password(
    request: Request, token: str, form: ChosenPassword, sign_in: actions.SignIn, welcome: Welcome
) -> Answer:
    """Set the new password by the mailed link."""
    ticket = await sign_in.find_reset(token)
    page, slug = await welcome.page_of_tenant(request, ticket.tenant_id if ticket else None)
    await sign_in.reset_password(token, form.new_password, request)
    done = translate(page, N_("Your password was changed. Sign in with it."))
    return redirect(request, f"/login?tenant={slug}", "ok", done)


async def _again(request: Request, welcome: Welcome, template: str, refusal: Refusal) -> Html:
    page = await welcome.page(request, str(refusal.values.get("tenant_slug", "")))
    return render(template, page, status=422, form=shown_again(refusal))
