"""/api/auth: sign-in and sign-out, passwords, second factors and sessions."""

from uuid import UUID

from trilha.access.permissions.viewer import (
    HAS_SESSION,
    OWN_PAST_SECOND_FACTOR,
    OWN_SIGN_IN,
    Viewer,
    viewer_of,
)
from trilha.access.sessions import actions, queries, second_factor
from trilha.access.sessions.identity import COOKIE, LOGIN
from trilha.access.sessions.rules import device
from trilha.access.sessions.schema import (
    AuthenticatorSecret,
    CurrentPassword,
    Login,
    PasswordChange,
    PasswordReset,
    RecoveryCodes,
    RenewedToken,
    ResetRequest,
    SecondFactorCode,
    Session,
    Sessions,
    SessionState,
    SignInResult,
)
from trilha.core.database import Database, Tx
from trilha.core.types import Timestamp
from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.people.users import queries as users

routes = Routes("Sessions", "Sign-in, sign-out, passwords, two-step verification and sessions.")


class PublicAddress(str):
    """The server's own address, the base of links in e-mails."""

    __slots__ = ()


@routes.post("/auth/login", access=PUBLIC, rate_limit=LOGIN, errors=["invalid_login", "cross_site_request"])
async def log_in(data: Login, request: Request, caller: Caller, sign_in: actions.SignIn) -> SignInResult:
    """Sign in with e-mail and password.

    Returns a session token and sets it as a cookie. Send it as the cookie, or as `Authorization: Bearer`. It
    expires 2 hours after its last use, and after 12 hours at the latest.
    """
    started = await sign_in.by_password(data, request, caller)
    return SignInResult(started.session.token, started.session.expires_at, started.user, started.unfinished)


@routes.get("/auth/session", access=HAS_SESSION)
async def get_session(tx: Tx, caller: Caller) -> SessionState:
    """Retrieve the current session: the person, the company, and the step that is still missing."""
    viewer = viewer_of(caller)
    assert caller.credential is not None
    assert caller.credential.expires_at is not None
    return SessionState(
        id=viewer.session_id,
        expires_at=Timestamp(caller.credential.expires_at),
        user=await users.get(tx, viewer.user_id),
        tenant_slug=viewer.tenant_slug,
        tenant_name=viewer.tenant_name,
        locale=viewer.locale,
        unfinished=viewer.unfinished_step,
    )


@routes.post("/auth/logout", access=HAS_SESSION, status=204)
async def log_out(tx: Tx, caller: Caller, request: Request) -> None:
    """End this session."""
    viewer = viewer_of(caller)
    await actions.end(tx, viewer, viewer.session_id)
    COOKIE.clear(request)


@routes.post(
    "/auth/second-factor",
    access=HAS_SESSION,
    rate_limit=LOGIN,
    errors=["wrong_code", "second_factor_not_begun", "second_factor_locked"],
)
async def pass_second_factor(
    data: SecondFactorCode, caller: Caller, request: Request, database: Database, address: PublicAddress
) -> RenewedToken:
    """Finish signing in with a code of the authenticator app or a recovery code.

    After 10 wrong codes within an hour, no code is accepted for an hour, or until an administrator unlocks
    two-step verification. The person is notified by e-mail.
    """
    return RenewedToken(await actions.pass_second_factor(database, caller, data.code, request, address))


@routes.post(
    "/auth/password",
    access=HAS_SESSION,
    rate_limit=LOGIN,
    errors=["wrong_password", "same_password", "password_below_minimum", "second_factor_required"],
)
async def change_password(
    data: PasswordChange, caller: Caller, request: Request, database: Database, address: PublicAddress
) -> RenewedToken:
    """Change the password. All other sessions end."""
    token = await actions.choose_password(
        database, caller, request, data.current_password, data.new_password, address
    )
    return RenewedToken(token)


@routes.post(
    "/auth/password-reset", access=PUBLIC, rate_limit=LOGIN, status=204, errors=["cross_site_request"]
)
async def request_password_reset(data: ResetRequest, request: Request, sign_in: actions.SignIn) -> None:
    """Request an e-mail with a link to set a new password. The response is the same whether or not the person
    exists.
    """
    await sign_in.request_reset(data.tenant_slug, data.email, request)


@routes.post(
    "/auth/password-reset/confirm",
    access=PUBLIC,
    rate_limit=LOGIN,
    status=204,
    errors=["reset_link_invalid", "password_below_minimum", "cross_site_request"],
)
async def reset_password(data: PasswordReset, request: Request, sign_in: actions.SignIn) -> None:
    """Set a new password with the token of the mailed link. All sessions end."""
    await sign_in.reset_password(data.token, data.new_password, request)


@routes.post(
    "/auth/authenticator",
    access=OWN_PAST_SECOND_FACTOR,
    status=201,
    errors=["second_factor_exists", "second_factor_required"],
)
async def begin_second_factor(tx: Tx, caller: Caller) -> AuthenticatorSecret:
    """Create the secret of a new authenticator app. It takes effect once you confirm a code."""
    return await actions.begin_second_factor(tx, viewer_of(caller))


@routes.post(
    "/auth/authenticator/confirm",
    access=OWN_PAST_SECOND_FACTOR,
    rate_limit=LOGIN,
    errors=["wrong_code", "second_factor_not_begun", "second_factor_required"],
)
async def confirm_second_factor(
    tx: Tx, caller: Caller, request: Request, address: PublicAddress, data: SecondFactorCode
) -> RecoveryCodes:
    """Turn two-step verification on with a code of the app. The session continues under a new token."""
    viewer = viewer_of(caller)
    confirmed = await actions.confirm_second_factor(tx, viewer, data.code, request, address)
    return RecoveryCodes(confirmed.recovery_codes, confirmed.token)


@routes.post(
    "/auth/authenticator/remove", access=OWN_SIGN_IN, rate_limit=LOGIN, status=204, errors=["wrong_password"]
)
async def remove_second_factor(
    data: CurrentPassword, caller: Caller, database: Database, address: PublicAddress
) -> None:
    """Turn two-step verification off."""
    viewer = viewer_of(caller)
    await _check_password(database, caller, viewer, data.password, "password")
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        await actions.remove_second_factor(tx, viewer, address)


@routes.post("/auth/recovery-codes", access=OWN_SIGN_IN, rate_limit=LOGIN, errors=["wrong_password"])
async def renew_recovery_codes(data: CurrentPassword, caller: Caller, database: Database) -> RecoveryCodes:
    """Replace the recovery codes. The earlier codes stop working."""
    viewer = viewer_of(caller)
    await _check_password(database, caller, viewer, data.password, "password")
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        return RecoveryCodes(await second_factor.renew_recovery_codes(tx, viewer.user_id))


@routes.get("/auth/sessions", access=OWN_SIGN_IN)
async def list_sessions(tx: Tx, caller: Caller) -> Sessions:
    """List the sessions of the signed-in person."""
    viewer = viewer_of(caller)
    return Sessions(
        [
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
    )


@routes.delete("/auth/sessions", access=OWN_SIGN_IN, status=204)
async def end_other_sessions(tx: Tx, caller: Caller) -> None:
    """End all other sessions of the signed-in person."""
    await actions.end_others(tx, viewer_of(caller))


@routes.delete("/auth/sessions/{session_id}", access=OWN_SIGN_IN, status=204, errors=["session_not_found"])
async def end_session(tx: Tx, caller: Caller, session_id: UUID) -> None:
    """End one session."""
    await actions.end(tx, viewer_of(caller), session_id)


async def _check_password(
    database: Database, caller: Caller, viewer: Viewer, password: str, field: str
) -> None:
    await actions.check_password(database, caller.tenant_id, viewer, password, field)
