"""/learn/security/authenticator: the second factor. Its first steps are open to who has to set one up."""

import segno
from markupsafe import Markup
from msgspec import Struct

from trilha.core.database import Database, Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.learn.security.pages import HOME, Pressed, without_secrets
from trilha.learn.security.words import PASSWORDS, WRONG_CODE
from trilha.learn.view import LearnView
from trilha.pages import N_
from trilha.sessions import actions, second_factor, second_factor_queries
from trilha.sessions.api import PublicAddress
from trilha.sessions.identity import LOGIN
from trilha.sessions.permissions import Permission, may
from trilha.sessions.schema import TypedCode, TypedPassword
from trilha.sessions.viewer import PAST_SECOND_FACTOR

routes = Routes("Second factor", "The authenticator app and its recovery codes.")
_CODES = {
    "wrong_code": WRONG_CODE,
    "second_factor_not_begun": N_("Begin again: what was shown is not good any more."),
}


class Code(Struct, frozen=True):
    code: TypedCode


class CurrentPassword(Struct, frozen=True):
    password: TypedPassword


@routes.get("/security/authenticator", access=PAST_SECOND_FACTOR)
async def show_authenticator(tx: Tx, view: LearnView, refusal: Refusal | None = None) -> Html | Answer:
    """What a second factor is; once begun, the QR code and the field for the first code."""
    viewer = view.viewer
    found = await second_factor_queries.read_authenticator(tx, viewer.user_id)
    if found is not None and found.confirmed_at is not None:
        return view.lead(HOME)
    begun = await second_factor.find_begun(tx, viewer.user_id, viewer.email, viewer.tenant_name)
    return view.form(
        "learn/security/authenticator.html",
        without_secrets(refusal),
        sentences=_CODES,
        begun=begun,
        key=" ".join(begun.secret[at : at + 4] for at in range(0, len(begun.secret), 4)) if begun else "",
        drawing=qr_code(begun.uri) if begun else "",
    )


@routes.post("/security/authenticator", access=PAST_SECOND_FACTOR, max_body=4096)
async def begin_second_factor(tx: Tx, view: LearnView, form: Pressed) -> Answer:
    """Make the secret of a new app; one that was begun before counts no more."""
    try:
        await actions.begin_second_factor(tx, view.viewer)
    except Conflict:
        return view.lead(HOME, N_("The second factor is on already."), "info")
    return view.lead("/learn/security/authenticator")


@routes.post(
    "/security/authenticator/confirm",
    access=PAST_SECOND_FACTOR,
    rate_limit=LOGIN,
    max_body=4096,
    refused=show_authenticator,
)
async def confirm_second_factor(tx: Tx, view: LearnView, form: Code, address: PublicAddress) -> Html | Answer:
    """Turn the second factor on, and show its recovery codes this once."""
    confirmed = await actions.confirm_second_factor(tx, view.viewer, form.code, view.request, address)
    view.renew(confirmed.token)
    return _show_codes(view, confirmed.recovery_codes, done="/" if view.viewer.unfinished else HOME)


@routes.get("/security/recovery-codes", access=may(Permission.LEARN))
async def ask_for_recovery_codes(tx: Tx, view: LearnView, refusal: Refusal | None = None) -> Html | Answer:
    """Ask for the password before new codes are made."""
    return await _ask(tx, view, "learn/security/new_codes.html", refusal)


@routes.post(
    "/security/recovery-codes",
    access=may(Permission.LEARN),
    rate_limit=LOGIN,
    max_body=4096,
    refused=ask_for_recovery_codes,
)
async def renew_recovery_codes(
    view: LearnView, caller: Caller, form: CurrentPassword, database: Database
) -> Html | Answer:
    """New codes; the earlier ones work no more."""
    viewer = view.viewer
    await actions.check_password(database, caller.tenant_id, viewer, form.password, "password")
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        if not await _is_on(tx, view):
            raise BusinessRule("second_factor_not_begun")
        codes = await second_factor.renew_recovery_codes(tx, viewer.user_id)
    return _show_codes(view, codes, done=HOME)


@routes.get("/security/authenticator/remove", access=may(Permission.LEARN))
async def ask_to_remove(tx: Tx, view: LearnView, refusal: Refusal | None = None) -> Html | Answer:
    """Ask for the password before the second factor is turned off."""
    return await _ask(tx, view, "learn/security/turn_off.html", refusal)


@routes.post(
    "/security/authenticator/remove",
    access=may(Permission.LEARN),
    rate_limit=LOGIN,
    max_body=4096,
    refused=ask_to_remove,
)
async def remove_second_factor(
    view: LearnView, caller: Caller, form: CurrentPassword, database: Database, address: PublicAddress
) -> Answer:
    """Turn the second factor off."""
    await actions.check_password(database, caller.tenant_id, view.viewer, form.password, "password")
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        await actions.remove_second_factor(tx, view.viewer, address)
    return view.lead(HOME, N_("The second factor is off."))


def qr_code(uri: str) -> Markup:
    """Dark on light in either theme, for cameras; of attributes alone, for the policy of pages."""
    drawing = segno.make(uri, error="m", micro=False).svg_inline(
        border=4, dark="#000", light="#fff", svgclass="qr", lineclass=None, omitsize=True
    )
    return Markup(drawing)  # noqa: S704 - squares alone


async def _is_on(tx: Tx, view: LearnView) -> bool:
    found = await second_factor_queries.read_authenticator(tx, view.viewer.user_id)
    return found is not None and found.confirmed_at is not None


async def _ask(tx: Tx, view: LearnView, template: str, refusal: Refusal | None) -> Html | Answer:
    if not await _is_on(tx, view):
        return view.lead(HOME)
    return view.form(template, without_secrets(refusal), sentences=PASSWORDS)


def _show_codes(view: LearnView, codes: list[str], *, done: str) -> Html:
    return view.show("learn/security/codes.html", codes=codes, done=done)
