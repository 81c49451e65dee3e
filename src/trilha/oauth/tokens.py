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

from trilha.core.clock import Clock
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.errors import Unauthenticated
from trilha.oauth.rules import client_name, parse_client_name
from trilha.oauth.schema import NewToken
from trilha.oauth.signing_keys import ALGORITHM, TOKEN_LIFETIME, SigningKey, SigningKeys

_FORM = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
_TYPE = "at+jwt"
_KNOWN_MOST = 10_000
_ES256 = jws.JWSRegistry.algorithms[ALGORITHM]


class Claims(Struct, frozen=True):
    """What a token says of itself, its signature checked. Times are in Unix seconds."""

    jti: UUID
    tenant_id: UUID
    client_id: UUID
    issued_at: int
    expires_at: int

    @property
    def presented(self) -> PresentedCredential:
        """What the token is looked up by."""
        return PresentedCredential(CredentialKind.ACCESS_TOKEN, self.jti.bytes, self.tenant_id)


def _sign(key: SigningKey, claims: bytes) -> str:
    """The compact form (RFC 7515 section 7.1), without checks of the header, which is always ours: with them,
    joserfc takes half as long again as the signature does."""
    signed = _header(key.kid) + b"." + urlsafe_b64encode(claims)
    return (signed + b"." + urlsafe_b64encode(_ES256.sign(signed, key.key))).decode()


@lru_cache(16)
def _header(kid: str) -> bytes:
    return urlsafe_b64encode(msgspec.json.encode({"typ": _TYPE, "alg": ALGORITHM, "kid": kid}))


class UnsignedToken(Struct, frozen=True):
    """A token before its signature, and its row."""

    row: NewToken
    key: SigningKey
    claims: dict[str, Any]

    def sign(self) -> str:
        return _sign(self.key, msgspec.json.encode(self.claims))


def is_well_formed(text: str) -> bool:
    return len(text) <= 4096 and _FORM.fullmatch(text) is not None


class AccessTokens:
    """Makes and reads the tokens of this issuer. Whether one was revoked is in its row."""

    def __init__(self, keys: SigningKeys, clock: Clock, issuer: str) -> None:
        self.keys = keys
        self._clock = clock
        self.issuer = issuer
        # A signature that was good stays good: what was read is kept, for as long as its key is.
        self._known: OrderedDict[str, tuple[Claims, SigningKey]] = OrderedDict()

    def now(self) -> datetime:
        return self._clock()

    async def make(self, tenant_id: UUID, client_id: UUID, scopes: Sequence[str]) -> "UnsignedToken":
        """To be signed when its row, without which it is good for nothing, is on its way."""
        key = await self.keys.signing()
        # The id begins with the time, so that the rows of tokens go into their index side by side.
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
        """Raises Unauthenticated (credential_invalid, credential_expired)."""
        known = self._known.get(token)
        if known and await self.keys.find(known[1].kid) is known[1]:
            claims = known[0]
        else:
            claims, key = await self._check(token)
            self._known[token] = claims, key
            if len(self._known) > _KNOWN_MOST:
                self._known.popitem(last=False)
        if claims.expires_at <= self._clock().timestamp():
            raise Unauthenticated("credential_expired")
        return claims

    async def present(self, token: str) -> PresentedCredential:
        """What an access token is looked up by. Raises Unauthenticated."""
        return (await self.read(token)).presented

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
            said = msgspec.json.decode(signed.payload)
            client_id = parse_client_name(said["client_id"])
            if said["iss"] != self.issuer or said["aud"] != self.issuer or client_id is None:
                raise ValueError(said)
            return Claims(
                UUID(said["jti"]), UUID(said["tenant"]), client_id, int(said["iat"]), int(said["exp"])
            ), key
        except (JoseError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Unauthenticated("credential_invalid") from None
