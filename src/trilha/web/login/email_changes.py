"""/login/email: confirms or cancels a change of e-mail address, by the link mailed to the old address."""

from msgspec import Struct

from trilha.access.sessions import email_changes
from trilha.access.sessions.identity import LOGIN
from trilha.core.database import Database
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, Form, redirect, render, say, translate
from trilha.web.login.forms import rebuild_form
from trilha.web.login.welcome import Welcome

routes = Routes("E-mail addresses", "Confirming another address by a mailed link.")
say(email_change_invalid=N_("This link was already used, was replaced by a newer one, or has expired."))
_SENTENCES = {
    "email_exists": N_(
        "Someone else in your company already uses this e-mail. Ask your HR team to change it to a different "
        "one."
    )
}


class Decision(Struct, frozen=True):
    """A form that has only a button."""


@routes.get("/email/{token}", access=PUBLIC)
async def show_email_change(
    request: Request, token: str, database: Database, welcome: Welcome, refusal: Refusal | None = None
) -> Html:
    """Show the new address, and ask whether to confirm it. Opening the link changes nothing."""
    match = await email_changes.find_by_link(database, token)
    page, _ = await welcome.page_of_tenant(request, match[0] if match else None)
    if match is None:
        return render("login/email_link_invalid.html", page, status=422)
    form = Form() if refusal is None else rebuild_form(refusal, **_SENTENCES)
    status = 200 if refusal is None else 422
    return render("login/email_change.html", page, status=status, form=form, change=match[1], token=token)


@routes.post("/email/{token}", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_email_change)
async def confirm_email_change(
    request: Request, token: str, form: Decision, database: Database, welcome: Welcome
) -> Answer:
    """Confirm the new address. The person signs in again."""
    match = await email_changes.find_by_link(database, token)
    await email_changes.confirm_by_link(database, token, request)
    page, slug = await welcome.page_of_tenant(request, match[0] if match else None)
    message = translate(page, N_("Your e-mail was changed. Sign in with the new address."))
    return redirect(request, f"/login?tenant={slug}", "ok", message)


@routes.post(
    "/email/{token}/cancel", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_email_change
)
async def cancel_email_change(
    request: Request, token: str, form: Decision, database: Database, welcome: Welcome
) -> Answer:
    """Cancel the change: the address stays as it is."""
    match = await email_changes.find_by_link(database, token)
    await email_changes.discard_by_link(database, token, request)
    page, slug = await welcome.page_of_tenant(request, match[0] if match else None)
    message = translate(page, N_("The change was canceled. Your e-mail stays the same."))
    return redirect(request, f"/login?tenant={slug}", "ok", message)
