"""/learn/security: sessions and password."""

from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may_oneself
from trilha.access.sessions import actions, queries, second_factor_queries
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.identity import LOGIN
from trilha.access.sessions.passkeys import queries as passkeys
from trilha.access.sessions.passkeys.actions import find_party
from trilha.access.sessions.rules import device
from trilha.access.sessions.schema import Session, TypedPassword
from trilha.core.database import Database, Tx
from trilha.core.errors import ApiError, NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.people.users.schema import Password
from trilha.web.learn.security.error_messages import PASSWORDS
from trilha.web.learn.view import LearnView

routes = Routes("Security", "Sessions and password.")
HOME = "/learn/security"


class NewPassword(Struct, frozen=True):
    current_password: TypedPassword
    new_password: Password


class ButtonForm(Struct, frozen=True):
    """A form that has only a button."""


@routes.get("/security", access=may_oneself(Permission.LEARN))
async def show_security(tx: Tx, view: LearnView, address: PublicAddress) -> Html:
    """Show password, two-step verification, passkeys and sessions."""
    viewer = view.viewer
    authenticator = await second_factor_queries.read_authenticator(tx, viewer.user_id)
    confirmed_at = authenticator.confirmed_at if authenticator else None
    codes = await second_factor_queries.count_recovery_codes(tx, viewer.user_id) if confirmed_at else 0
    sessions = [
        Session(
            id=row.id,
            device=device(row.agent),
            source=row.source,
            current=row.id == viewer.session_id,
            last_seen_at=row.last_seen_at,
            expires_at=row.expires_at,
            created_at=row.created_at,
        )
        for row in await queries.list_live(tx, viewer.user_id)
    ]
    return view.show(
        "learn/security/security.html",
        confirmed_at=confirmed_at,
        recovery_codes=codes,
        passkeys=await passkeys.list_of_user(tx, viewer.user_id),
        offers_passkeys=await find_party(tx, viewer, address) is not None,
        sessions=sorted(sessions, key=lambda each: not each.current),
    )


@routes.post("/security/sessions/end-others", access=may_oneself(Permission.LEARN), max_body=4096)
async def end_other_sessions(tx: Tx, view: LearnView, form: ButtonForm) -> Answer:
    """End the other sessions."""
    await actions.end_others(tx, view.viewer)
    return view.lead(HOME, N_("Your other sessions were signed out."))


@routes.post(
    "/security/sessions/{session_id}/end",
    access=may_oneself(Permission.LEARN),
    max_body=4096,
    errors=["session_not_found"],
)
async def end_session(tx: Tx, view: LearnView, session_id: UUID, form: ButtonForm) -> Answer:
    """End one other session."""
    if session_id == view.viewer.session_id:
        raise NotFound("session_not_found")  # the current session ends by signing out
    await actions.end(tx, view.viewer, session_id)
    return view.lead(HOME, N_("The session was signed out."))


@routes.get("/security/password", access=may_oneself(Permission.LEARN))
async def show_password(view: LearnView, refusal: Refusal | None = None) -> Html:
    """Ask for a new password."""
    return view.form("learn/security/password.html", without_secrets(refusal), sentences=PASSWORDS)


@routes.post(
    "/security/password",
    access=may_oneself(Permission.LEARN),
    rate_limit=LOGIN,
    max_body=8192,
    refused=show_password,
)
async def change_password(
    view: LearnView, caller: Caller, form: NewPassword, database: Database, address: PublicAddress
) -> Answer:
    """Change the password, and end the other sessions."""
    await actions.choose_password(
        database, caller, view.request, form.current_password, form.new_password, address
    )
    return view.lead(HOME, N_("Your password was changed, and your other sessions were signed out."))


def without_secrets(refusal: Refusal | None) -> Refusal | None:
    """Returns the refusal without the typed values, so that no secret is sent back."""
    failure: ApiError | None = refusal.failure if refusal else None
    return Refusal({}, failure) if failure else None
