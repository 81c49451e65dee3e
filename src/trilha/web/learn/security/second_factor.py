"""/learn/security/authenticator: the second factor. Its first steps are open to who has to set one up."""

import segno
from markupsafe import Markup
from msgspec import Struct

from trilha.access.permissions.roles import Permission, may_oneself
from trilha.access.permissions.viewer import OWN_PAST_SECOND_FACTOR
from trilha.access.sessions import actions, second_factor, second_factor_queries
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.identity import LOGIN
from trilha.access.sessions.schema import TypedCode, TypedPassword
from trilha.core.database import Database, Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.web.learn.security.error_messages import PASSWORDS, WRONG_CODE
from trilha.web.learn.security.pages import HOME, ButtonForm, without_secrets
from trilha.web.learn.view import LearnView

routes = Routes("Two-step verification", "The authenticator app and its recovery codes.")
_CODES = {
    "wrong_code": WRONG_CODE,
    "second_factor_not_begun": N_("This QR code is no longer valid. Start the setup again."),
}


class Code(Struct, frozen=True):
    code: TypedCode


class CurrentPassword(Struct, frozen=True):
    password: TypedPassword


@routes.get("/security/authenticator", access=OWN_PAST_SECOND_FACTOR)
async def show_authenticator(tx: Tx, view: LearnView, refusal: Refusal | None = None) -> Html | Answer:
    """Explain the setup; once it has begun, show the QR code and ask for the first code."""
    viewer = view.viewer
    authenticator = await second_factor_queries.read_authenticator(tx, viewer.user_id)
    if authenticator is not None and authenticator.confirmed_at is not None:
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


@routes.post("/security/authenticator", access=OWN_PAST_SECOND_FACTOR, max_body=4096)
async def begin_second_factor(tx: Tx, view: LearnView, form: ButtonForm) -> Answer:
    """Create the secret for a new app. A setup begun earlier becomes invalid."""
    try:
        await actions.begin_second_factor(tx, view.viewer)
    except Conflict:
        return view.lead(HOME, N_("Two-step verification is already on."), "info")
    return view.lead("/learn/security/authenticator")


@routes.post(
    "/security/authenticator/confirm",
    access=OWN_PAST_SECOND_FACTOR,
    rate_limit=LOGIN,
    max_body=4096,
    refused=show_authenticator,
)
async def confirm_second_factor(tx: Tx, view: LearnView, form: Code, address: PublicAddress) -> Html | Answer:
    """Turn two-step verification on, and show its recovery codes, which are shown only once."""
    confirmed = await actions.confirm_second_factor(tx, view.viewer, form.code, view.request, address)
    view.renew(confirmed.token)
    return _show_codes(view, confirmed.recovery_codes, done="/" if view.viewer.unfinished_step else HOME)


@routes.get("/security/recovery-codes", access=may_oneself(Permission.LEARN))
async def ask_for_recovery_codes(tx: Tx, view: LearnView, refusal: Refusal | None = None) -> Html | Answer:
    """Ask for the password before creating new recovery codes."""
    return await _ask(tx, view, "learn/security/new_codes.html", refusal)


@routes.post(
    "/security/recovery-codes",
    access=may_oneself(Permission.LEARN),
    rate_limit=LOGIN,
    max_body=4096,
    refused=ask_for_recovery_codes,
)
async def renew_recovery_codes(
    view: LearnView, caller: Caller, form: CurrentPassword, database: Database
) -> Html | Answer:
    """Create new recovery codes. The earlier ones become invalid."""
    viewer = view.viewer
    await actions.check_password(database, caller.tenant_id, viewer, form.password, "password")
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        if not await _is_on(tx, view):
            raise BusinessRule("second_factor_not_begun")
        codes = await second_factor.renew_recovery_codes(tx, viewer.user_id)
    return _show_codes(view, codes, done=HOME)


@routes.get("/security/authenticator/remove", access=may_oneself(Permission.LEARN))
async def ask_to_remove(tx: Tx, view: LearnView, refusal: Refusal | None = None) -> Html | Answer:
    """Ask for the password before turning two-step verification off."""
    return await _ask(tx, view, "learn/security/turn_off.html", refusal)


@routes.post(
    "/security/authenticator/remove",
    access=may_oneself(Permission.LEARN),
    rate_limit=LOGIN,
    max_body=4096,
    refused=ask_to_remove,
)
async def remove_second_factor(
    view: LearnView, caller: Caller, form: CurrentPassword, database: Database, address: PublicAddress
) -> Answer:
    """Turn two-step verification off."""
    await actions.check_password(database, caller.tenant_id, view.viewer, form.password, "password")
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        await actions.remove_second_factor(tx, view.viewer, address)
    return view.lead(HOME, N_("Two-step verification was turned off."))


def qr_code(uri: str) -> Markup:
    """Draws a QR code, dark on light in either theme so that cameras can read it.

    It uses attributes instead of styles, because our content policy forbids inline styles.
    """
    drawing = segno.make(uri, error="m", micro=False).svg_inline(
        border=4, dark="#000", light="#fff", svgclass="qr", lineclass=None, omitsize=True
    )
    return Markup(drawing)  # noqa: S704 - an SVG of squares


async def _is_on(tx: Tx, view: LearnView) -> bool:
    authenticator = await second_factor_queries.read_authenticator(tx, view.viewer.user_id)
    return authenticator is not None and authenticator.confirmed_at is not None


async def _ask(tx: Tx, view: LearnView, template: str, refusal: Refusal | None) -> Html | Answer:
    if not await _is_on(tx, view):
        return view.lead(HOME)
    return view.form(template, without_secrets(refusal), sentences=PASSWORDS)


def _show_codes(view: LearnView, codes: list[str], *, done: str) -> Html:
    return view.show("learn/security/codes.html", codes=codes, done=done)
