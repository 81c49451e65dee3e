"""Callers with a session, from a browser's cookie or from `Authorization: Bearer`.

Protects against cross-site request forgery: an unsafe request with the cookie must come from one of our
pages, according to the browser, and a form must contain the session's token.
"""

import hmac
from collections.abc import Sequence
from secrets import token_bytes
from typing import Any

import msgspec
from msgspec import Struct

from trilha.access.sessions.browsers import Browsers
from trilha.access.sessions.rules import is_session_token
from trilha.core.clock import Clock
from trilha.core.credentials import Credential, CredentialKind, PresentedCredential
from trilha.core.errors import Failure, Forbidden, Unauthenticated
from trilha.core.secrets import Keyring
from trilha.core.types import Email, InvalidValue
from trilha.core.web.bearer import bearer_token
from trilha.core.web.callers import Caller, KnownCredentials, Public, RequestCredentials
from trilha.core.web.cookies import Cookie
from trilha.core.web.parsing import parse_uuid
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.routes import MIB
from trilha.platform.tenants.schema import TypedSlug

COOKIE = Cookie("trilha_session")
CSRF_FIELD = "csrf_token"
CSRF_HEADER = b"x-csrf-token"
_CSRF_BYTES = 16
LAUNCH = "launch"  # the rate_limit of routes that open a module
# Per person, because every launch is stored for good.
LAUNCHES = Limit(60, 60)
LAUNCH_LINK = "launch_link"  # the rate_limit of using a portal's link up
# For each address, which may be that of a whole office.
LAUNCH_LINKS = Limit(300, 60)
HELD_WORK = "held"  # the rate_limit of the route that receives a browser's held work
# Per person, in reports and in KiB: as much as their modules may send.
HELD_REPORTS = Limit(300, 60)
HELD_KIB = Limit(24 * 1024, 60)
_LARGE_BODY = 16 * 1024  # bytes; a smaller body counts only as a report
LOGIN = "login"  # the rate_limit of routes that take an e-mail address and a secret
SIGNATURE = "signature"  # the rate_limit of routes where people sign, perhaps on another's device
# Per person who is signed in. A room shares an address, and perhaps the device.
SIGNATURES = Limit(20, 60)
_SAFE = ("GET", "HEAD", "OPTIONS")


class LoginAttempt(Struct, frozen=True):
    """The account of a sign-in attempt. `browser` is set if the person signed in with this browser before."""

    tenant_slug: str
    email: str
    browser: str | None


class SessionIdentity:
    def __init__(self, keyring: Keyring, browsers: Browsers, clock: Clock, *, bearer: bool) -> None:
        """With `bearer`, the token may also be in the Authorization header; pages accept only the cookie."""
        self._keyring = keyring
        self._browsers = browsers
        self._clock = clock
        self._bearer = bearer

    async def present(self, request: Request) -> RequestCredentials:
        attempt = await self._attempt(request)
        try:
            token = self._token(request)
        except Unauthenticated as failure:
            return RequestCredentials(failure=failure, detail=attempt)
        if not is_session_token(token):
            return RequestCredentials(failure=Unauthenticated("session_invalid"), detail=attempt)
        key = self._keyring.fingerprint(token)
        return RequestCredentials((PresentedCredential(CredentialKind.SESSION, key),), detail=attempt)

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
            # Normalized, so that all spellings of a company share one counter.
            slug, email = TypedSlug.parse(fields["tenant_slug"]), Email.parse(fields["email"])
        # Invalid fields are reported when the arguments are parsed; here they count only against the address.
        except (
            Failure,
            msgspec.DecodeError,
            UnicodeDecodeError,
            RecursionError,
            LookupError,
            TypeError,
            InvalidValue,
        ):
            return None
        return LoginAttempt(slug, email, self._browsers.find(request, slug, email))

    async def identify(
        self, request: Request, presented: RequestCredentials, known_credentials: KnownCredentials
    ) -> Caller:
        """Identifies the caller.

        Raises Forbidden (cross_site_request) even without a session, because another site's page must not
        sign somebody in either.
        """
        self._refuse_other_sites(request)
        address = request.source
        if presented.failure is not None:
            return Caller(None, presented.failure, address, known_credentials)
        credential = known_credentials.get(presented.credentials[0])
        failure: Failure | None = None
        try:
            self._check(request, credential)
        except Failure as reason:
            failure = reason
        return Caller(credential, failure, address, known_credentials)

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
        """Returns whether another page could make a browser send this change. It could not add our token to a
        header.
        """
        by_header = self._bearer and request.header(b"authorization") is not None
        return request.method not in _SAFE and not by_header


def came_from_us(request: Request) -> bool:
    """Returns whether one of our pages sent this. All current browsers say so in unsafe requests."""
    site = request.header(b"sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    scheme = "https" if request.secure else "http"
    return request.header(b"origin") == f"{scheme}://{request.header(b'host')}"


def came_from_others(request: Request) -> bool:
    """Returns whether the browser says that another site's page sent this. Other clients say nothing."""
    origin = request.header(b"sec-fetch-site") or request.header(b"origin")
    return origin is not None and not came_from_us(request)


class CsrfTokens:
    """Tokens for a session's forms, of no use without the session.

    Each page masks the token differently. Otherwise an attacker could guess it from the lengths of compressed
    pages (BREACH).
    """

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def token(self, caller: Caller) -> str:
        """Returns the token, or an empty string if there is no session."""
        return _mask(self._of(caller.credential.key)) if caller.credential else ""

    def of_renewed(self, session_token: str) -> str:
        """Returns the token of a session that continues under this session token."""
        return _mask(self._of(self._keyring.fingerprint(session_token)))

    def _of(self, key: bytes) -> bytes:
        return self._keyring.mac(b"csrf", key)[:_CSRF_BYTES]

    def check(self, request: Request, caller: Caller, fields: dict[str, Any]) -> None:
        """Checks a page's form as its `FormGuard`. Raises Forbidden.

        Public pages have no token, also for people whose session has ended, so there the browser's header
        must be enough.
        """
        token = fields.pop(CSRF_FIELD, None) or request.header(CSRF_HEADER) or ""
        public = request.route is not None and isinstance(request.route.access, Public)
        if public or caller.credential is None:
            if not came_from_us(request):
                raise Forbidden("cross_site_request")
        elif not hmac.compare_digest(_unmask(token), self._of(caller.credential.key)):
            raise Forbidden("cross_site_request")


def _mask(token: bytes) -> str:
    pad = token_bytes(len(token))
    return (pad + _xor(pad, token)).hex()


def _unmask(masked: object) -> bytes:
    """Returns the token, or nothing if we did not mask it."""
    try:
        both = bytes.fromhex(masked) if isinstance(masked, str) else b""
    except ValueError:
        return b""
    return _xor(both[:_CSRF_BYTES], both[_CSRF_BYTES:]) if len(both) == 2 * _CSRF_BYTES else b""


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


class SessionLimits:
    """The limits of requests with sessions. Attempts count by address and by account, launches and held work
    by person, links of portals by address, signatures by the signed-in person and the signer.
    """

    def __init__(self, keyring: Keyring, usual: Limit | None, login: Limit) -> None:
        self._keyring = keyring
        self._usual = usual
        self._login = login

    def __call__(self, request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        rate_limit = request.route.rate_limit if request.route else None
        if rate_limit == LAUNCH and presented.credentials:
            return [Hit("launch:", LAUNCHES, presented.credentials[0])]
        if rate_limit == LAUNCH_LINK:
            return [Hit(f"launch-link:{request.counted_as}", LAUNCH_LINKS)]
        if rate_limit == HELD_WORK and presented.credentials:
            return _hits_of_held_work(request, presented.credentials[0])
        if rate_limit == SIGNATURE and presented.credentials:
            return self._hits_of_signature(request, presented.credentials[0])
        if rate_limit != LOGIN or request.method == "GET":
            return [Hit(f"api:{request.counted_as}", self._usual)] if self._usual else []
        hits = [Hit(f"login:{request.counted_as}", self._login)]
        if presented.credentials:
            # Codes and passwords for this person count together, wherever they come from.
            hits.append(Hit("login:", self._login, presented.credentials[0]))
        if isinstance(attempt := presented.detail, LoginAttempt):
            # Hashed, because the counters' table must not contain people's addresses.
            account = (
                attempt.browser
                or self._keyring.mac(b"login", attempt.tenant_slug.encode(), attempt.email.encode()).hex()
            )
            hits.append(Hit(f"login:{account}", self._login))
        return hits

    def _hits_of_signature(self, request: Request, credential: PresentedCredential) -> Sequence[Hit]:
        assert request.route is not None
        hits = [Hit("signature:", SIGNATURES, credential)]
        # Not strict: a slash at the end is ignored.
        values = dict(zip(request.route.path.split("/"), request.path.split("/"), strict=False))
        if signer := parse_uuid(values.get("{user_id}", "")):
            # Codes and passwords of this person, whatever is signed.
            hits.append(Hit(f"signature:{signer}:", self._login, credential))
        return hits


def _hits_of_held_work(request: Request, credential: PresentedCredential) -> Sequence[Hit]:
    assert request.route is not None
    hits = [Hit("held:", HELD_REPORTS, credential)]
    size = request.get_content_length(request.route.max_body)
    if size > _LARGE_BODY:
        hits.append(Hit("held:kib:", HELD_KIB, credential, count=size // 1024))
    return hits
