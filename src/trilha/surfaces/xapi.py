"""The surface /xapi, the learning record store: its callers and limits."""

import base64
import binascii
import re
from collections.abc import Sequence

from trilha.access.xapi_keys import rules
from trilha.core.clock import Clock
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.errors import Failure, Unauthenticated
from trilha.core.secrets import Keyring
from trilha.core.web.bearer import BearerIdentity, TokenReader
from trilha.core.web.callers import Caller, Identity, KnownCredentials, Limits, RequestCredentials
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.surface import Surface
from trilha.training.learning.cmi5.sessions import TOKEN_NAME
from trilha.training.xapi import answers, api
from trilha.training.xapi.calls import SECOND_VERSION, VERSION_HEADER, read_call
from trilha.training.xapi.documents import api as documents

_LONGEST_BASIC = 2000
_FETCH = re.compile(r"/fetch/([A-Za-z0-9_-]{43})")


class XapiIdentity:
    """Identifies a caller by the key and secret of HTTP Basic, or by a token. In the alternate syntax, the
    credential may be in the form.
    """

    def __init__(self, keyring: Keyring, read_token: TokenReader, clock: Clock) -> None:
        self._keyring = keyring
        self._read_token = read_token
        self._bearer = BearerIdentity(read_token, clock)

    async def present(self, request: Request) -> RequestCredentials:
        try:
            call = await read_call(request, with_content=False)
        except Failure as failure:
            request.answer_headers.append((VERSION_HEADER, SECOND_VERSION.encode()))
            return RequestCredentials(failure=failure)
        # Neither a preflight nor the resource about the store needs a version.
        is_free = request.method == "OPTIONS" or request.path.rstrip("/") == "/about"
        is_free = is_free or request.path.startswith("/fetch/")
        version = call.version or (SECOND_VERSION if is_free else call.answered_version)
        request.answer_headers.append((VERSION_HEADER, version.encode()))
        if (fetched := _FETCH.fullmatch(request.path)) is not None:
            fingerprint = self._keyring.fingerprint(fetched[1])
            return RequestCredentials((PresentedCredential(CredentialKind.CMI5, fingerprint),))
        try:
            return RequestCredentials((await self._read(call.headers.get("authorization")),))
        except Unauthenticated as failure:
            return RequestCredentials(failure=failure)

    async def identify(
        self, request: Request, presented: RequestCredentials, known_credentials: KnownCredentials
    ) -> Caller:
        return await self._bearer.identify(request, presented, known_credentials)

    async def _read(self, authorization: str | None) -> PresentedCredential:
        """Raises Unauthenticated."""
        if not authorization:
            raise Unauthenticated("credential_missing")
        scheme, _, content = authorization.partition(" ")
        if scheme.lower() == "bearer":
            return await self._read_token(content.strip())
        if scheme.lower() != "basic":
            raise Unauthenticated("credential_invalid")
        key, secret = parse_basic(content.strip())
        if key == TOKEN_NAME:
            return PresentedCredential(CredentialKind.CMI5, self._keyring.fingerprint(secret))
        if not rules.is_well_formed(key, secret):
            raise Unauthenticated("credential_invalid")
        fingerprint = self._keyring.fingerprint(rules.join(key, secret))
        return PresentedCredential(CredentialKind.XAPI_KEY, fingerprint)


def parse_basic(content: str) -> tuple[str, str]:
    """Returns the name and password (RFC 7617). Raises Unauthenticated."""
    try:
        if len(content) > _LONGEST_BASIC:
            raise ValueError(content)
        text = base64.b64decode(content, validate=True).decode()
    except (binascii.Error, ValueError):
        raise Unauthenticated("credential_invalid") from None
    name, colon, password = text.partition(":")
    if not colon:
        raise Unauthenticated("credential_invalid")
    return name, password


def limits(default: Limit) -> Limits:
    """Counts requests by credential, or else by address."""

    def of(request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        by_address = f"xapi:{request.counted_as}"
        if not presented.credentials:
            return [Hit(by_address, default)]
        (credential,) = presented.credentials
        return [Hit("xapi:", default, credential, otherwise=by_address)]

    return of


def surface(limits: Limits, identity: Identity, clock: Clock) -> Surface:
    """Its calls are no API calls of a plan: content makes them while people learn."""
    return Surface(
        name="xapi",
        # Content that adds a slash to the endpoint sends two.
        prefixes=[answers.PREFIX, f"{answers.PREFIX}/"],
        features=[api.routes, documents.routes],
        identity=identity,
        limits=limits,
        errors=answers.XapiErrors(clock),
        headers={"cache-control": "no-store", **answers.CORS},
    )
