"""Callers with a session: from the cookie of a browser, or as `Authorization: Bearer`.

What another site's page sends in a browser's name is refused (CSRF): an unsafe request that comes with the
cookie has to say that it came from a page of ours, and a form has to bear the session's own token.
"""

import hmac
from collections.abc import Sequence
from secrets import token_bytes
from typing import Any

import msgspec
from msgspec import Struct

from trilha.core.clock import Clock
from trilha.core.credentials import Credential, CredentialKind, PresentedCredential
from trilha.core.errors import Failure, Forbidden, Unauthenticated
from trilha.core.secrets import Keyring
from trilha.core.types import Email, Refused
from trilha.core.web.bearer import bearer_token
from trilha.core.web.callers import Caller, Found, Presented, Public
from trilha.core.web.cookies import Cookie
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.routes import MIB
from trilha.sessions.browsers import Browsers
from trilha.sessions.rules import is_session_token
from trilha.tenants.schema import TypedSlug

COOKIE = Cookie("trilha_session")
CSRF_FIELD = "csrf_token"
CSRF_HEADER = b"x-csrf-token"
_CSRF_BYTES = 16
LAUNCH = "launch"  # the rate_limit of routes that open a module
# Of one person: each launch is kept for good.
LAUNCHES = Limit(60, 60)
HELD = "held"  # the rate_limit of the route that takes what a browser had kept
# Of one person, in reports and in KiB: as much as the frames of their modules may send.
HELD_REPORTS = Limit(300, 60)
HELD_KIB = Limit(24 * 1024, 60)
_LARGE_BODY = 16 * 1024  # bytes; what is smaller counts as a report alone
LOGIN = "login"  # the rate_limit of routes that take an e-mail address and a secret
_SAFE = ("GET", "HEAD", "OPTIONS")


class LoginAttempt(Struct, frozen=True):
    """Who somebody wants to sign in as; `browser` is set where that person did so in this browser before."""

    tenant_slug: str
    email: str
    browser: str | None


class SessionIdentity:
    def __init__(self, keyring: Keyring, browsers: Browsers, clock: Clock, *, bearer: bool) -> None:
        """With `bearer` a token may come in the header, too; pages take the cookie alone."""
        self._keyring = keyring
        self._browsers = browsers
        self._clock = clock
        self._bearer = bearer

    async def present(self, request: Request) -> Presented:
        attempt = await self._attempt(request)
        try:
            token = self._token(request)
        except Unauthenticated as failure:
            return Presented(failure=failure, detail=attempt)
        if not is_session_token(token):
            return Presented(failure=Unauthenticated("session_invalid"), detail=attempt)
        key = self._keyring.fingerprint(token)
        return Presented((PresentedCredential(CredentialKind.SESSION, key),), detail=attempt)

    def _token(self, request: Request) -> str:
        """Raises Unauthenticated."""
        if self._bearer and request.header(b"authorization") is not None:
            return bearer_token(request.all_headers(b"authorization"))
        token = COOKIE.read(request)
        if not token:
            raise Unauthenticated("session_missing")
        return token

    async def _attempt(self, request: Request) -> LoginAttempt | None:
        if request.route is None or request.route.rate_limit != LOGIN:
            return None
        try:
            if request.route.form is not None:
                fields: Any = await request.form(MIB, request.route.lists)
            else:
                fields = msgspec.json.decode(await request.body(MIB))
            # As people type it: however it is spelled, it is one company, and its tries are counted together.
            slug, email = TypedSlug.parse(fields["tenant_slug"]), Email.parse(fields["email"])
        # What cannot be read is told when the arguments are; here it only counts against the address.
        except (
            Failure,
            msgspec.DecodeError,
            UnicodeDecodeError,
            RecursionError,
            LookupError,
            TypeError,
            Refused,
        ):
            return None
        return LoginAttempt(slug, email, self._browsers.find(request, slug, email))

    async def identify(self, request: Request, presented: Presented, found: Found) -> Caller:
        """Raises Forbidden (cross_site_request), signed in or not: a page of another site may not sign
        somebody in either."""
        self._refuse_other_sites(request)
        address = request.source
        if presented.failure is not None:
            return Caller(None, presented.failure, address, found)
        credential = found.get(presented.credentials[0])
        failure: Failure | None = None
        try:
            self._check(request, credential)
        except Failure as reason:
            failure = reason
        return Caller(credential, failure, address, found)

    def _refuse_other_sites(self, request: Request) -> None:
        route = request.route
        if route is None or route.from_other_sites or not self._may_be_sent_by_pages(request):
            return
        if came_from_others(request):
            raise Forbidden("cross_site_request")

    def _check(self, request: Request, credential: Credential | None) -> None:
        if credential is None or credential.rejection_reason(self._clock()):
            raise Unauthenticated("session_invalid")
        if self._may_be_sent_by_pages(request) and not came_from_us(request):
            raise Forbidden("cross_site_request")

    def _may_be_sent_by_pages(self, request: Request) -> bool:
        """Whether a page can make a browser send this change: it cannot add a token of ours to it."""
        by_header = self._bearer and request.header(b"authorization") is not None
        return request.method not in _SAFE and not by_header


def came_from_us(request: Request) -> bool:
    """What the browser says of the page that sent this: all that are in use do so with unsafe requests."""
    site = request.header(b"sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    scheme = "https" if request.secure else "http"
    return request.header(b"origin") == f"{scheme}://{request.header(b'host')}"


def came_from_others(request: Request) -> bool:
    """Whether the browser says that another site's page sent this. What is no browser says nothing."""
    told = request.header(b"sec-fetch-site") or request.header(b"origin")
    return told is not None and not came_from_us(request)


class CsrfTokens:
    """The token that a session's forms bear: of the session alone, and of no use without it.

    Each page writes it in another way: pages are compressed, and from the length of many that hold the same
    secret beside a text of somebody else's, the secret could be guessed (BREACH).
    """

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def token(self, caller: Caller) -> str:
        """Empty where there is no session."""
        return _masked(self._of(caller.credential.key)) if caller.credential else ""

    def of_renewed(self, session_token: str) -> str:
        """Of a session that goes on under this token."""
        return _masked(self._of(self._keyring.fingerprint(session_token)))

    def _of(self, key: bytes) -> bytes:
        return self._keyring.mac(b"csrf", key)[:_CSRF_BYTES]

    def check(self, request: Request, caller: Caller, fields: dict[str, Any]) -> None:
        """The `FormGuard` of pages. Raises Forbidden.

        Where nobody has to be signed in, the browser's word has to do: those pages bear no token, and are
        sent by who signs in again beside a session, or after one that is over.
        """
        sent = fields.pop(CSRF_FIELD, None) or request.header(CSRF_HEADER) or ""
        public = request.route is not None and isinstance(request.route.access, Public)
        if public or caller.credential is None:
            if not came_from_us(request):
                raise Forbidden("cross_site_request")
        elif not hmac.compare_digest(_unmasked(sent), self._of(caller.credential.key)):
            raise Forbidden("cross_site_request")


def _masked(token: bytes) -> str:
    pad = token_bytes(len(token))
    return (pad + _xor(pad, token)).hex()


def _unmasked(sent: object) -> bytes:
    """Nothing of what was not masked by us."""
    try:
        both = bytes.fromhex(sent) if isinstance(sent, str) else b""
    except ValueError:
        return b""
    return _xor(both[:_CSRF_BYTES], both[_CSRF_BYTES:]) if len(both) == 2 * _CSRF_BYTES else b""


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


class SessionLimits:
    """What requests with sessions count against: those that try a secret by address and by e-mail, those that
    open a module or hand over work by person."""

    def __init__(self, keyring: Keyring, usual: Limit | None, login: Limit) -> None:
        self._keyring = keyring
        self._usual = usual
        self._login = login

    def __call__(self, request: Request, presented: Presented) -> Sequence[Hit]:
        rate_limit = request.route.rate_limit if request.route else None
        if rate_limit == LAUNCH and presented.credentials:
            return [Hit("launch:", LAUNCHES, presented.credentials[0])]
        if rate_limit == HELD and presented.credentials:
            return _hits_of_held_work(request, presented.credentials[0])
        if rate_limit != LOGIN or request.method == "GET":
            return [Hit(f"api:{request.counted_as}", self._usual)] if self._usual else []
        hits = [Hit(f"login:{request.counted_as}", self._login)]
        if presented.credentials:
            # Codes and passwords of one person, whose session this is, from wherever they are tried.
            hits.append(Hit("login:", self._login, presented.credentials[0]))
        if isinstance(attempt := presented.detail, LoginAttempt):
            # An address of a person is nothing to keep in a table of counters.
            whom = (
                attempt.browser
                or self._keyring.mac(b"login", attempt.tenant_slug.encode(), attempt.email.encode()).hex()
            )
            hits.append(Hit(f"login:{whom}", self._login))
        return hits


def _hits_of_held_work(request: Request, credential: PresentedCredential) -> Sequence[Hit]:
    assert request.route is not None
    hits = [Hit("held:", HELD_REPORTS, credential)]
    size = request.announced_bytes(request.route.max_body)
    if size > _LARGE_BODY:
        hits.append(Hit("held:kib:", HELD_KIB, credential, count=size // 1024))
    return hits
