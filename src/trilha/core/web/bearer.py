"""Callers that send `Authorization: Bearer` (RFC 6750).

The steps of a token: its header is read here, its form tells an API key from an access token (`app.py`), a
token's signature is checked in `oauth/tokens.py`, admission finds the row (`<feature>/unscoped.py`), and
`Credential.check` says whether it may be used now and from there.
"""

from collections.abc import Awaitable, Callable

from trilha.core.clock import Clock
from trilha.core.credentials import Credential, PresentedCredential
from trilha.core.errors import Failure, Unauthenticated
from trilha.core.web.callers import Caller, Found, Presented
from trilha.core.web.request import Request

# How a token is looked up. Raises Unauthenticated for what cannot be one of ours.
TokenReader = Callable[[str], Awaitable[PresentedCredential]]


class BearerIdentity:
    """One token in one header. Whoever sends none may still call what is public."""

    def __init__(self, read: TokenReader, clock: Clock) -> None:
        self._read = read
        self._clock = clock

    async def present(self, request: Request) -> Presented:
        try:
            token = bearer_token(request.all_headers(b"authorization"))
            return Presented((await self._read(token),))
        except Unauthenticated as failure:
            return Presented(failure=failure)

    async def identify(self, request: Request, presented: Presented, found: Found) -> Caller:
        address = request.source
        credential: Credential | None = None
        failure: Failure | None = presented.failure
        if failure is None:
            credential = found.get(presented.credentials[0])
            try:
                if credential is None:
                    raise Unauthenticated("credential_invalid")
                credential.check(request.address, self._clock())
            except Failure as reason:
                failure = reason
        return Caller(credential, failure, address, found)


def bearer_token(authorization: list[str]) -> str:
    """The token of the one Authorization header. Raises Unauthenticated for none, two, or another scheme."""
    if not authorization:
        raise Unauthenticated("credential_missing")
    scheme, _, token = authorization[0].partition(" ")
    token = token.strip(" ")
    if len(authorization) > 1 or scheme.lower() != "bearer" or not token:
        raise Unauthenticated("credential_invalid")
    return token
