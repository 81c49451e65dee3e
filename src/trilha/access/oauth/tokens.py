"""Access tokens: JWTs of RFC 9068, signed with ES256."""

import re
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.util import urlsafe_b64encode
from msgspec import Struct
from ulid import ULID

from trilha.access.oauth.rules import client_name, parse_client_name
from trilha.access.oauth.schema import NewToken
from trilha.access.oauth.signing_keys import ALGORITHM, TOKEN_LIFETIME, SigningKey, SigningKeys
from trilha.core.clock import Clock
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.errors import Unauthenticated

_FORM = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
_TYPE = "at+jwt"
_MAX_CACHED = 10_000
_ES256 = jws.JWSRegistry.algorithms[ALGORITHM]


class Claims(Struct, frozen=True):
    """The verified claims of a token. Times are Unix timestamps in seconds."""

    jti: UUID
    tenant_id: UUID
    client_id: UUID
    issued_at: int
    expires_at: int

    @property
    def credential(self) -> PresentedCredential:
        """The credential by which the token's row is looked up."""
        return PresentedCredential(CredentialKind.ACCESS_TOKEN, self.jti.bytes, self.tenant_id)


def _sign(key: SigningKey, claims: bytes) -> str:
    """Returns the compact form (RFC 7515 section 7.1).

    Skips joserfc's checks of the header, which is always ours: they take half as long again as the signature.
    """
    signed = _header(key.kid) + b"." + urlsafe_b64encode(claims)
    return (signed + b"." + urlsafe_b64encode(_ES256.sign(signed, key.key))).decode()


@lru_cache(16)
def _header(kid: str) -> bytes:
    return urlsafe_b64encode(msgspec.json.encode({"typ": _TYPE, "alg": ALGORITHM, "kid": kid}))


class UnsignedToken(Struct, frozen=True):
    """A token before it is signed, and its row."""

    row: NewToken
    key: SigningKey
    claims: dict[str, Any]

    def sign(self) -> str:
        return _sign(self.key, msgspec.json.encode(self.claims))


def is_well_formed(text: str) -> bool:
    return len(text) <= 4096 and _FORM.fullmatch(text) is not None


class AccessTokens:
    """Makes and verifies tokens of this issuer. Revocation is recorded in a token's row."""

    def __init__(self, keys: SigningKeys, clock: Clock, issuer: str) -> None:
        self.keys = keys
        self._clock = clock
        self.issuer = issuer
        # Verified tokens are cached for as long as their key exists, because a valid signature stays valid.
        self._known: OrderedDict[str, tuple[Claims, SigningKey]] = OrderedDict()

    def now(self) -> datetime:
        return self._clock()

    async def make(self, tenant_id: UUID, client_id: UUID, scopes: Sequence[str]) -> UnsignedToken:
        """Makes a token to sign while its row is stored. Without the row, it is not valid."""
        key = await self.keys.signing()
        # ULIDs begin with the time, so that rows of new tokens are adjacent in the index.
        new = NewToken(ULID().to_uuid4(), tenant_id, client_id, key.kid, " ".join(scopes))
        now, name = int(self._clock().timestamp()), client_name(client_id)
        claims = {
            "iss": self.issuer,
            "aud": self.issuer,
            "sub": name,
            "client_id": name,
            "jti": str(new.jti),
            "iat": now,
            "exp": now + int(TOKEN_LIFETIME.total_seconds()),
            "scope": new.scope,
            "tenant": str(tenant_id),
        }
        return UnsignedToken(new, key, claims)

    async def read(self, token: str) -> Claims:
        """Verifies a token. Raises Unauthenticated (credential_invalid, credential_expired)."""
        cached = self._known.get(token)
        if cached and await self.keys.find(cached[1].kid) is cached[1]:
            claims = cached[0]
        else:
            claims, key = await self._check(token)
            self._known[token] = claims, key
            if len(self._known) > _MAX_CACHED:
                self._known.popitem(last=False)
        if claims.expires_at <= self._clock().timestamp():
            raise Unauthenticated("credential_expired")
        return claims

    async def present(self, token: str) -> PresentedCredential:
        """Returns the credential by which the token is looked up. Raises Unauthenticated."""
        return (await self.read(token)).credential

    async def _check(self, token: str) -> tuple[Claims, SigningKey]:
        if not is_well_formed(token):
            raise Unauthenticated("credential_invalid")
        try:
            signed = jws.extract_compact(token.encode())
            header = signed.protected
            # Only our exact header is accepted.
            if header != {"typ": _TYPE, "alg": ALGORITHM, "kid": header.get("kid")}:
                raise ValueError(header)
            key = await self.keys.find(str(header["kid"]))
            if key is None or not jws.validate_compact(signed, key.key, [ALGORITHM]):
                raise ValueError(header)
            claims = msgspec.json.decode(signed.payload)
            client_id = parse_client_name(claims["client_id"])
            if claims["iss"] != self.issuer or claims["aud"] != self.issuer or client_id is None:
                raise ValueError(claims)
            return Claims(
                UUID(claims["jti"]), UUID(claims["tenant"]), client_id, int(claims["iat"]), int(claims["exp"])
            ), key
        except (JoseError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Unauthenticated("credential_invalid") from None
