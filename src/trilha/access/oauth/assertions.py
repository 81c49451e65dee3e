"""Client assertions: a client authenticates with a signed JWT (private_key_jwt, RFC 7523)."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import Key, KeySet
from msgspec import Struct

from trilha.access.oauth.rules import parse_client_name
from trilha.core.public_keys import load_public_key

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ALGORITHMS = ["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512", "Ed25519"]
# The longest lifetime of an assertion, and so how long a used one is remembered.
LONGEST = timedelta(minutes=10)
_LONGEST_TEXT = 8192
# Enough to replace keys one by one.
MAX_KEYS = 8
# Exceptions from reading malformed tokens: their JSON may contain anything, to any depth.
_UNREADABLE = (
    JoseError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    OSError,
    RecursionError,
)


class WrongAudience(Exception):
    """The client's assertion is valid, but for another server."""


class Assertion(Struct, frozen=True):
    """An assertion with a valid signature and claims. The database decides whether it was used before."""

    digest: bytes
    expires_at: datetime


def read_key_set(public_keys: object) -> KeySet:
    """Returns the keys of a JWK set (RFC 7517 section 5).

    Raises ValueError unless it has 1 to `MAX_KEYS` keys, all of them public, strong and of a common size.
    """
    members = public_keys.get("keys") if isinstance(public_keys, Mapping) else None
    if not isinstance(members, list) or not 0 < len(members) <= MAX_KEYS:
        raise ValueError("not a set of a few keys")
    keys: list[Key] = [key for member in members if (key := load_public_key(member)) is not None]
    if len(keys) < len(members):
        raise ValueError("not a public key")
    return KeySet(keys)


def parse_client(assertion: str) -> UUID | None:
    """Returns the client that the assertion names, without verifying anything."""
    try:
        subject = msgspec.json.decode(jws.extract_compact(assertion.encode()).payload)["sub"]
        return parse_client_name(subject)
    except _UNREADABLE:
        return None


def check(
    assertion: str, name: str, public_keys: Mapping[str, Any], issuer: str, now: datetime
) -> Assertion | None:
    """Verifies an assertion, and returns None if it is invalid. Its audience must be this issuer alone (RFC
    9700 section 2.5).

    Raises WrongAudience if only the audience is wrong: the signer has proved who it is, so the error may say
    more.
    """
    if len(assertion) > _LONGEST_TEXT:
        return None
    try:
        signed = jws.extract_compact(assertion.encode())
        # Only registered keys are used, even if the header contains one.
        if not jws.validate_compact(signed, read_key_set(public_keys), ALGORITHMS):
            return None
        claims = msgspec.json.decode(signed.payload)
        ends = datetime.fromtimestamp(claims["exp"], UTC)
        begins = datetime.fromtimestamp(claims.get("nbf", 0), UTC)
        jti = claims["jti"]
        fits = (
            claims["iss"] == claims["sub"] == name
            and begins <= now < ends <= now + LONGEST
            and isinstance(jti, str)
            and 0 < len(jti) <= 255
        )
        is_ours = claims.get("aud") in (issuer, [issuer])
    except _UNREADABLE:
        return None
    if fits and not is_ours:
        raise WrongAudience
    return Assertion(hashlib.sha256(jti.encode()).digest(), ends) if fits else None
