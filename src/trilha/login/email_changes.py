"""/login/email: confirming or cancelling another e-mail address by the link mailed to the old one."""

from msgspec import Struct

from trilha.core.database import Database
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.login.forms import shown_again
from trilha.login.welcome import Welcome
from trilha.pages import N_, Form, redirect, render, say, translate
from trilha.sessions import email_changes
from trilha.sessions.identity import LOGIN

routes = Routes("E-mail addresses", "Confirming another address by a mailed link.")
say(email_change_invalid=N_("This link was used, was replaced by a newer one or has expired."))
_SENTENCES = {"email_exists": N_("Somebody else in the company has this address now. Ask for another one.")}


class Decision(Struct, frozen=True):
    """A form of a button alone."""


@routes.get("/email/{token}", access=PUBLIC)
async def show_email_change(
    request: Request, token: str, database: Database, welcome: Welcome, refusal: Refusal | None = None
) -> Html:
    """Show the new address, and ask whether to confirm it. Opening the link changes nothing."""
    found = await email_changes.find_by_link(database, token)
    page, _ = await welcome.page_of_tenant(request, found[0] if found else None)
    if found is None:
        return render("login/email_used.html", page, status=422)
    form = Form() if refusal is None else shown_again(refusal, **_SENTENCES)
    status = 200 if refusal is None else 422
    return render("login/email.html", page, status=status, form=form, change=found[1], token=token)


@routes.post("/email/{token}", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_email_change)
async def confirm_email_change(
    request: Request, token: str, form: Decision, database: Database, welcome: Welcome
) -> Answer:
    """Confirm the new address. The person signs in again."""
    found = await email_changes.find_by_link(database, token)
    await email_changes.confirm_by_link(database, token, request)
    page, slug = await welcome.page_of_tenant(request, found[0] if found else None)
    done = translate(page, N_("Your e-mail address was changed. Sign in with the new one."))
    return redirect(request, f"/login?tenant={slug}", "ok", done)


@routes.post(
    "/email/{token}/cancel", access=PUBLIC, rate_limit=LOGIN, max_body=8192, refused=show_email_change
)
async def cancel_email_change(
    request: Request, token: str, form: Decision, database: Database, welcome: Welcome
) -> Answer:
    """Cancel the change: the address stays as it is."""
    found = await email_changes.find_by_link(database, token)
    await email_changes.discard_by_link(database, token, request)
    page, slug = await welcome.page_of_tenant(request, found[0] if found else None)
    done = translate(page, N_("The change was cancelled. Your e-mail address stays as it is."))
    return redirect(request, f"/login?tenant={slug}", "ok", done)
