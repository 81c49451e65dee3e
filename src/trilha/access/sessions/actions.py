"""Sign-in and sign-out, passwords and second factors."""

import asyncio
from uuid import UUID, uuid5

from trilha.access.permissions.viewer import UnfinishedStep, Viewer, viewer_of
from trilha.access.sessions import queries, second_factor, second_factor_queries, unscoped
from trilha.access.sessions.beginning import WayIn, begin, recipient
from trilha.access.sessions.browsers import Browsers
from trilha.access.sessions.identity import COOKIE
from trilha.access.sessions.rules import RESET_LINK, new_token
from trilha.access.sessions.schema import (
    Account,
    AuthenticatorSecret,
    ConfirmedAuthenticator,
    Login,
    NewSession,
    SignedInPerson,
)
from trilha.access.sessions.unscoped import ResetTicket
from trilha.core.clock import Clock
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import BusinessRule, Forbidden, NotFound, Unauthenticated, invalid
from trilha.core.passwords import HashedPassword, hash_password, is_password
from trilha.core.types import Timestamp
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.people.users import queries as users
from trilha.people.users.rules import check_new_password
from trilha.platform.audit import queries as audit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import (
    PasswordChanged,
    PasswordReset,
    SecondFactorLocked,
    SecondFactorOff,
    SecondFactorOn,
)
from trilha.platform.tenants import unscoped as tenants

_NO_TENANT = UUID(int=0)
# A request for a password link always takes this long: longer than writing one.
RESET_SECONDS = 0.15


class SignIn:
    """Steps of callers without a session: signing in with a password, and asking for a new one."""

    def __init__(self, database: Database, browsers: Browsers, clock: Clock, address: str) -> None:
        """`address` is the server's own, the base of links in e-mails."""
        self._database = database
        self._browsers = browsers
        self._clock = clock
        self._address = address

    async def by_password(self, login: Login, request: Request, caller: Caller) -> SignedInPerson:
        """Starts a session, sets its cookie and ends the browser's previous session.

        Raises Unauthenticated (invalid_login). Whether or not the tenant and the person exist, the work and
        its duration are the same: one lookup of each, and one comparison of the password.
        """
        tenant_id, account = await self._find(login.tenant_slug, login.email)
        # Hashing pauses per requester. Pausing by tenant would reveal through later requests whether the
        # tenant exists.
        requester = uuid5(_NO_TENANT, login.tenant_slug)
        is_right = await is_password(login.password, account.password_hash if account else None, requester)
        if account is None or account.status != "ACTIVE" or not is_right or not account.password_opens:
            raise Unauthenticated("invalid_login")
        known_browser = self._browsers.find(request, login.tenant_slug, login.email) is not None
        async with self._database.transaction(tenant_id, actor=_actor(account.id, request)) as tx:
            session = await begin(tx, account, request, self._address, known_browser=known_browser)
            user = await users.get(tx, account.id)
        await self.settle(request, caller, session, login.tenant_slug, login.email)
        return SignedInPerson(session, user, account.find_unfinished_step())

    async def by_provider(
        self, tx: Tx, account: Account, slug: str, request: Request, way: WayIn
    ) -> SignedInPerson:
        """Starts a session for a locked account that a provider vouched for. Call `settle` after the commit.

        Raises Unauthenticated if the person was suspended meanwhile.
        """
        known_browser = self._browsers.find(request, slug, account.email) is not None
        session = await begin(tx, account, request, self._address, known_browser=known_browser, way=way)
        user = await users.get(tx, account.id)
        return SignedInPerson(session, user, account.find_unfinished_step(by_password=False))

    async def by_passkey(
        self, tx: Tx, account: Account, slug: str, request: Request, passkey_id: UUID
    ) -> SignedInPerson:
        """Starts a session for a locked account whose passkey was verified. Call `settle` after the commit.

        Raises Unauthenticated if the person was suspended meanwhile.
        """
        known_browser = self._browsers.find(request, slug, account.email) is not None
        session = await begin(
            tx, account, request, self._address, known_browser=known_browser, passkey_id=passkey_id
        )
        user = await users.get(tx, account.id)
        step: UnfinishedStep | None = "password_change_required" if account.must_change_password else None
        return SignedInPerson(session, user, step)

    async def by_link(self, tx: Tx, account: Account, slug: str, request: Request) -> SignedInPerson:
        """Starts a session for a locked account that a launch link has named. Call `settle` after the commit.

        Raises Unauthenticated if the person was suspended meanwhile.
        """
        known_browser = self._browsers.find(request, slug, account.email) is not None
        session = await begin(tx, account, request, self._address, known_browser=known_browser, by_link=True)
        user = await users.get(tx, account.id)
        return SignedInPerson(session, user, account.find_unfinished_step(by_password=False))

    async def settle(
        self, request: Request, caller: Caller, session: NewSession, slug: str, email: str
    ) -> None:
        """Sets the browser's cookie, and ends the session that the browser had before."""
        await self._end_earlier(request, caller)
        COOKIE.set(request, session.token)
        self._browsers.remember(request, slug, email)

    async def _end_earlier(self, request: Request, caller: Caller) -> None:
        """Ends the session whose cookie is about to be replaced, because the browser could not end it
        afterwards.
        """
        by_header = request.header(b"authorization") is not None
        if caller.credential is None or caller.failure is not None or by_header:
            return
        viewer = viewer_of(caller)
        async with self._database.transaction(caller.tenant_id, actor=caller.actor) as tx:
            if await queries.delete(tx, viewer.user_id, viewer.session_id):
                await audit.record(tx, "session.ended", viewer.user_id)

    async def _find(self, slug: str, email: str) -> tuple[UUID, Account | None]:
        async with self._database.unscoped() as unscoped_connection:
            tenant = await tenants.find_by_slug(unscoped_connection, slug)
        tenant_id = tenant.id if tenant and tenant.status == "ACTIVE" else _NO_TENANT
        async with self._database.transaction(tenant_id, read_only=True) as tx:
            return tenant_id, await queries.find_account(tx, email)

    async def request_reset(self, slug: str, email: str, request: Request) -> None:
        """Mails a link to set a new password, if there is such a person.

        Neither the answer nor its duration reveals whether there is.
        """
        deadline = asyncio.get_running_loop().time() + RESET_SECONDS
        try:
            await self._mail_reset(slug, email, request)
        finally:
            await asyncio.sleep(deadline - asyncio.get_running_loop().time())

    async def _mail_reset(self, slug: str, email: str, request: Request) -> None:
        tenant_id, account = await self._find(slug, email)
        if account is None or account.status != "ACTIVE" or not account.password_opens:
            return
        token = new_token()
        async with self._database.transaction(tenant_id, actor=_actor(account.id, request)) as tx:
            await queries.put_links(tx, "reset", {account.id: tx.keyring.fingerprint(token)})
            link = f"{self._address}/login/reset/{token}"
            minutes = int(RESET_LINK.total_seconds()) // 60
            await outbox.send(tx, to=recipient(account), message=PasswordReset(link=link, minutes=minutes))

    async def find_reset(self, token: str) -> ResetTicket | None:
        """Returns whose password a mailed link may set, or None if the link is not valid."""
        async with self._database.unscoped() as unscoped_connection:
            return await unscoped.find_reset(unscoped_connection, self._database.keyring.fingerprint(token))

    async def reset_password(self, token: str, password: str, request: Request) -> None:
        """Sets the password by a mailed link.

        Raises BusinessRule if the link is not valid, Invalid if the password is too short or a name.
        """
        fingerprint = self._database.keyring.fingerprint(token)
        ticket = await self.find_reset(token)
        if ticket is None:
            raise BusinessRule("reset_link_invalid")
        check_new_password(password, ticket.password_minimum, ticket.names, "new_password")
        hashed = await hash_password(password, ticket.tenant_id)
        actor = _actor(ticket.user_id, request)
        async with self._database.transaction(ticket.tenant_id, actor=actor) as tx:
            user_id = await queries.take_link(tx, fingerprint)
            if user_id is None:
                raise BusinessRule("reset_link_invalid")
            account = await queries.get_account(tx, user_id)
            if not account.password_opens:
                raise BusinessRule("reset_link_invalid")
            await _set_password(tx, account, hashed, request, self._address)


async def pass_second_factor(
    database: Database, caller: Caller, code: str, request: Request, address: str
) -> str:
    """Returns the session's new token. A valid code is used up.

    Raises Invalid for a wrong code, and BusinessRule (second_factor_locked) after too many. Wrong codes are
    counted in a transaction that commits before the exception.
    """
    viewer = viewer_of(caller)
    if viewer.second_factor != "due":
        raise BusinessRule("second_factor_not_begun")
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        outcome = await second_factor.attempt(tx, viewer.user_id, code)
        if outcome == "right":
            return await _renew(tx, viewer.session_id, request, "passed")
        if outcome == "now_locked":
            await audit.record(tx, "user.second_factor_locked", viewer.user_id)
            message = SecondFactorLocked(
                at=Timestamp.of(tx.now), address=request.source, link=f"{address}/login/forgotten"
            )
            await outbox.send(tx, to=viewer.recipient, message=message)
    if outcome == "wrong":
        raise invalid("code", "wrong_code")
    raise BusinessRule("second_factor_locked")


async def change_password(
    tx: Tx, viewer: Viewer, hashed: HashedPassword, request: Request, address: str
) -> str:
    """Sets a password that was hashed before the transaction. Ends all other sessions of the person.

    Returns this session's new token.
    """
    account = await queries.get_account(tx, viewer.user_id)
    await _set_password(tx, account, hashed, request, address, except_id=viewer.session_id)
    return await _renew(tx, viewer.session_id, request)


async def choose_password(
    database: Database, caller: Caller, request: Request, current: str, new: str, address: str
) -> str:
    """Changes the password and returns the session's new token.

    Raises Invalid, or Forbidden before the second factor.
    """
    viewer = viewer_of(caller)
    if viewer.second_factor == "due":
        raise Forbidden("second_factor_required")
    check_new_password(new, viewer.password_minimum, viewer.names, "new_password")
    await check_password(database, caller.tenant_id, viewer, current, "current_password")
    if new == current:
        raise invalid("new_password", "same_password")
    hashed = await hash_password(new, caller.tenant_id)
    async with database.transaction(caller.tenant_id, actor=caller.actor) as tx:
        return await change_password(tx, viewer, hashed, request, address)


async def check_password(
    database: Database, tenant_id: UUID, viewer: Viewer, password: str, field: str
) -> None:
    """Raises Invalid if the password is wrong. Slow, so call it outside any transaction."""
    async with database.transaction(tenant_id, read_only=True) as tx:
        account = await queries.find_account(tx, viewer.email)
    if not await is_password(password, account.password_hash if account else None, tenant_id):
        raise invalid(field, "wrong_password")


async def _set_password(
    tx: Tx,
    account: Account,
    hashed: HashedPassword,
    request: Request,
    address: str,
    *,
    except_id: UUID | None = None,
) -> None:
    await queries.set_password(tx, account.id, hashed.hash)
    await queries.delete_links(tx, account.id)
    await queries.delete_all(tx, account.id, except_id=except_id)
    await audit.record(tx, "user.password_changed", account.id)
    if account.password_hash is None:  # The first password, by invitation: nothing was changed.
        return
    message = PasswordChanged(
        at=Timestamp.of(tx.now), address=request.source, link=f"{address}/login/forgotten"
    )
    await outbox.send(tx, to=recipient(account), message=message)


async def end(tx: Tx, viewer: Viewer, session_id: UUID) -> None:
    """Ends one of the person's own sessions. Raises NotFound."""
    if not await queries.delete(tx, viewer.user_id, session_id):
        raise NotFound("session_not_found")
    await audit.record(tx, "session.ended", viewer.user_id)


async def end_others(tx: Tx, viewer: Viewer) -> int:
    """Ends the person's other sessions and returns how many there were."""
    ended = await queries.delete_all(tx, viewer.user_id, except_id=viewer.session_id)
    if ended:
        await audit.record(tx, "session.ended", viewer.user_id, sessions=ended)
    return ended


async def begin_second_factor(tx: Tx, viewer: Viewer) -> AuthenticatorSecret:
    return await second_factor.begin(tx, viewer.user_id, viewer.email, viewer.tenant_name)


async def confirm_second_factor(
    tx: Tx, viewer: Viewer, code: str, request: Request, address: str
) -> ConfirmedAuthenticator:
    """Turns two-step verification on and ends the other sessions, which were started by password alone."""
    codes = await second_factor.confirm(tx, viewer.user_id, code)
    await end_others(tx, viewer)
    token = await _renew(tx, viewer.session_id, request, "passed")
    await audit.record(tx, "user.second_factor_on", viewer.user_id)
    message = SecondFactorOn(at=Timestamp.of(tx.now), link=f"{address}/learn/security")
    await outbox.send(tx, to=viewer.recipient, message=message)
    return ConfirmedAuthenticator(codes, token)


async def remove_second_factor(tx: Tx, viewer: Viewer, address: str) -> None:
    if await second_factor_queries.delete(tx, viewer.user_id):
        await audit.record(tx, "user.second_factor_off", viewer.user_id)
        message = SecondFactorOff(
            at=Timestamp.of(tx.now), by_administrator=False, link=f"{address}/learn/security"
        )
        await outbox.send(tx, to=viewer.recipient, message=message)


async def _renew(tx: Tx, session_id: UUID, request: Request, second: str | None = None) -> str:
    """Replaces the session's token, so that a planted one becomes useless (session fixation)."""
    token = new_token()
    await queries.renew(tx, session_id, tx.keyring.fingerprint(token), second)
    COOKIE.set(request, token)
    return token


def _actor(user_id: UUID, request: Request) -> Actor:
    return Actor("session", str(user_id), request.source)
