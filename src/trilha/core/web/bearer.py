"""Identifies callers that send `Authorization: Bearer` (RFC 6750).

The header is read here. The token's form tells an API key from an access token (`app.py`).
`oauth/tokens.py` checks signatures, admission finds the row (`<feature>/unscoped.py`), and
`Credential.check` decides whether it may be used now and from this address.
"""

from collections.abc import Awaitable, Callable

from trilha.core.clock import Clock
from trilha.core.credentials import Credential, PresentedCredential
from trilha.core.errors import Failure, Unauthenticated
from trilha.core.web.callers import Caller, KnownCredentials, RequestCredentials
from trilha.core.web.request import Request

# Turns a token into a credential to look up. Raises Unauthenticated for a token that cannot be ours.
TokenReader = Callable[[str], Awaitable[PresentedCredential]]


class BearerIdentity:
    """Identifies a caller by one token in one header. A caller without a token may still use public
    routes.
    """

    def __init__(self, read: TokenReader, clock: Clock) -> None:
        self._read = read
        self._clock = clock

    async def present(self, request: Request) -> RequestCredentials:
        try:
            token = bearer_token(request.all_headers(b"authorization"))
            return RequestCredentials((await self._read(token),))
        except Unauthenticated as failure:
            return RequestCredentials(failure=failure)

    async def identify(
        self, request: Request, presented: RequestCredentials, known_credentials: KnownCredentials
    ) -> Caller:
        address = request.source
        credential: Credential | None = None
        failure: Failure | None = presented.failure
        if failure is None:
            credential = known_credentials.get(presented.credentials[0])
            try:
                if credential is None:
                    raise Unauthenticated("credential_invalid")
                credential.check(request.address, self._clock())
            except Failure as reason:
                failure = reason
        return Caller(credential, failure, address, known_credentials)


def bearer_token(authorization: list[str]) -> str:
    """Returns the token of the Authorization header. Raises Unauthenticated if it is missing, repeated, or
    of another scheme.
    """
    if not authorization:
        raise Unauthenticated("credential_missing")
    scheme, _, token = authorization[0].partition(" ")
    token = token.strip(" ")
    if len(authorization) > 1 or scheme.lower() != "bearer" or not token:
        raise Unauthenticated("credential_invalid")
    return token
