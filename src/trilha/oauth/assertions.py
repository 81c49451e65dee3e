"""Client assertions: a client proves who it is with a signature (private_key_jwt, RFC 7523)."""

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

from trilha.core.public_keys import load_public_key
from trilha.oauth.rules import parse_client_name

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ALGORITHMS = ["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512", "Ed25519"]
# How far ahead an assertion may end, and so for how long it is remembered.
LONGEST = timedelta(minutes=10)
_LONGEST_TEXT = 8192
# Enough to replace keys one after the other.
MAX_KEYS = 8
# What reading a token that is none may raise: its JSON holds anything, to any depth.
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
    """The assertion is the client's, and good for another server."""


class Assertion(Struct, frozen=True):
    """One whose signature and claims are good. Whether it was used before is for the database to say."""

    digest: bytes
    expires_at: datetime


def read_key_set(public_keys: object) -> KeySet:
    """The keys of a JWK set (RFC 7517 section 5).

    Raises ValueError unless it has 1 to `MAX_KEYS` keys, all of them public, strong and of a usual size.
    """
    members = public_keys.get("keys") if isinstance(public_keys, Mapping) else None
    if not isinstance(members, list) or not 0 < len(members) <= MAX_KEYS:
        raise ValueError("not a set of a few keys")
    keys: list[Key] = [key for each in members if (key := load_public_key(each)) is not None]
    if len(keys) < len(members):
        raise ValueError("not a public key")
    return KeySet(keys)


def claimed_client(assertion: str) -> UUID | None:
    """Who it says it is from, nothing checked."""
    try:
        subject = msgspec.json.decode(jws.extract_compact(assertion.encode()).payload)["sub"]
        return parse_client_name(subject)
    except _UNREADABLE:
        return None


def check(
    assertion: str, name: str, public_keys: Mapping[str, Any], issuer: str, now: datetime
) -> Assertion | None:
    """None where anything is wrong. It must be meant for this issuer alone (RFC 9700 section 2.5).

    Raises WrongAudience where nothing else is wrong: whoever signed it may be told.
    """
    if len(assertion) > _LONGEST_TEXT:
        return None
    try:
        signed = jws.extract_compact(assertion.encode())
        # Keys come from the registered set alone, whatever the header brings along.
        if not jws.validate_compact(signed, read_key_set(public_keys), ALGORITHMS):
            return None
        said = msgspec.json.decode(signed.payload)
        ends = datetime.fromtimestamp(said["exp"], UTC)
        begins = datetime.fromtimestamp(said.get("nbf", 0), UTC)
        jti = said["jti"]
        fits = (
            said["iss"] == said["sub"] == name
            and begins <= now < ends <= now + LONGEST
            and isinstance(jti, str)
            and 0 < len(jti) <= 255
        )
        is_ours = said.get("aud") in (issuer, [issuer])
    except _UNREADABLE:
        return None
    if fits and not is_ours:
        raise WrongAudience
    return Assertion(hashlib.sha256(jti.encode()).digest(), ends) if fits else None
