"""/learn/security/passkeys: adding, renaming and removing passkeys."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may_oneself
from trilha.access.sessions import actions as sessions
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.identity import LOGIN
from trilha.access.sessions.passkeys import actions, queries
from trilha.access.sessions.passkeys.schema import AnswerText
from trilha.access.sessions.rules import device
from trilha.access.sessions.schema import TypedPassword
from trilha.core.database import Database, Tx
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html, Json
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.web.learn.security.error_messages import PASSWORDS
from trilha.web.learn.security.pages import HOME, ButtonForm, without_secrets
from trilha.web.learn.view import LearnView

routes = Routes("Passkeys", "The passkeys of the viewer.")
_ACCESS = may_oneself(Permission.LEARN)
_PATH = f"{HOME}/passkeys"
_BODY = 32 * 1024
say(
    passkey_refused=N_("The passkey could not be verified, or you took too long. Try again."),
    passkey_exists=N_("This passkey is registered already."),
    passkeys_unavailable=N_("Your company does not allow passkeys."),
    too_many_passkeys=N_("You have 20 passkeys already. Remove one first."),
    recent_sign_in_required=N_("Enter your password again to add a passkey."),
    no_passkey=N_("You have no passkey yet. Add one in your account security."),
    passkey_not_found=N_("This passkey was removed already."),
)


class NewPasskeyForm(Struct, frozen=True):
    name: Name
    credential: AnswerText


class OptionsForm(Struct, frozen=True):
    """The form of a new passkey, before the browser has made it."""

    name: Annotated[str, Meta(max_length=200)] = ""


class CurrentPassword(Struct, frozen=True):
    password: TypedPassword


class NameForm(Struct, frozen=True):
    name: Name


@routes.get("/security/passkeys/new", access=_ACCESS)
async def show_new(
    tx: Tx, view: LearnView, address: PublicAddress, refusal: Refusal | None = None
) -> Html | Answer:
    """Ask for a name of the new passkey; first for the password, if the sign-in was long ago."""
    if await actions.find_party(tx, view.viewer, address) is None:
        return view.lead(HOME, N_("Your company does not allow passkeys."), "info")
    return view.form(
        "learn/security/new_passkey.html",
        without_credential(refusal),
        {"name": device(view.request.header(b"user-agent") or "")},
        sentences=PASSWORDS,
        is_recent=await queries.is_recent(tx, view.viewer.session_id),
        has_password=await _has_password(tx, view.viewer.user_id),
    )


@routes.post("/security/passkeys/confirm", access=_ACCESS, rate_limit=LOGIN, max_body=4096, refused=show_new)
async def confirm_password(
    view: LearnView, caller: Caller, form: CurrentPassword, database: Database
) -> Answer:
    """Check the password, so that a passkey can be added in the next minutes."""
    await sessions.check_password(database, caller.tenant_id, view.viewer, form.password, "password")
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        await queries.confirm_session(tx, view.viewer.session_id)
    return view.lead(f"{_PATH}/new")


@routes.post("/security/passkeys/options", access=_ACCESS, rate_limit=LOGIN, max_body=8192)
async def begin_registration(tx: Tx, view: LearnView, form: OptionsForm, address: PublicAddress) -> Json:
    """Return the options with which the browser makes a passkey."""
    return Json(await actions.begin_registration(tx, view.viewer, address))


@routes.post("/security/passkeys", access=_ACCESS, rate_limit=LOGIN, max_body=_BODY, refused=show_new)
async def add_passkey(tx: Tx, view: LearnView, form: NewPasskeyForm, address: PublicAddress) -> Answer:
    """Register the passkey that the browser has made."""
    await actions.register(tx, view.viewer, form.name, form.credential, address)
    return view.lead(HOME, N_("The passkey %(name)s was added."), name=form.name)


@routes.get("/security/passkeys/{passkey_id}", access=_ACCESS, errors=["passkey_not_found"])
async def show_passkey(tx: Tx, view: LearnView, passkey_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show one passkey, to rename or remove it."""
    passkey = await actions.get(tx, view.viewer, passkey_id)
    return view.form("learn/security/passkey.html", refusal, {"name": passkey.name}, passkey=passkey)


@routes.post(
    "/security/passkeys/{passkey_id}",
    access=_ACCESS,
    max_body=4096,
    errors=["passkey_not_found"],
    refused=show_passkey,
)
async def rename_passkey(tx: Tx, view: LearnView, passkey_id: UUID, form: NameForm) -> Answer:
    """Rename a passkey."""
    await actions.rename(tx, view.viewer, passkey_id, form.name)
    return view.lead(HOME, N_("The passkey was renamed."))


@routes.post(
    "/security/passkeys/{passkey_id}/remove", access=_ACCESS, max_body=4096, errors=["passkey_not_found"]
)
async def remove_passkey(
    tx: Tx, view: LearnView, passkey_id: UUID, form: ButtonForm, address: PublicAddress
) -> Answer:
    """Remove a passkey: it no longer opens the account."""
    name = await actions.remove(tx, view.viewer, passkey_id, address)
    return view.lead(HOME, N_("The passkey %(name)s was removed."), name=name)


async def _has_password(tx: Tx, user_id: UUID) -> bool:
    has: bool | None = await tx.value(
        "SELECT password_hash IS NOT NULL FROM users WHERE tenant_id = :tenant AND id = :user_id",
        user_id=user_id,
    )
    return bool(has)


def without_credential(refusal: Refusal | None) -> Refusal | None:
    """Returns the refusal without the password, and with the name that was typed."""
    bare = without_secrets(refusal)
    if refusal is None or bare is None or "name" not in refusal.values:
        return bare
    return Refusal({"name": refusal.values["name"]}, bare.failure)
