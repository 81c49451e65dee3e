"""Verifies ID tokens, check by check in a fixed order (OpenID Connect Core section 3.1.3.7, RFC 8725).

Pure: takes a text, keys and expectations, and returns claims or raises SignInRefused.
"""

import hashlib
import math
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hmac import compare_digest
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.util import urlsafe_b64decode
from msgspec import Struct

from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.oidc.rules import (
    ALGORITHMS,
    LONGEST_TOKEN,
    OLDEST_TOKEN,
    SKEW,
    Unreadable,
    read_object,
)
from trilha.core.public_keys import load_public_key

_UNREADABLE = (JoseError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
_LONGEST_SUBJECT = 255
_HASHES: dict[str, Callable[[bytes], Any]] = {
    "256": hashlib.sha256,
    "384": hashlib.sha384,
    "512": hashlib.sha512,
    "EdDSA": hashlib.sha512,
    "Ed25519": hashlib.sha512,
}


class _Registry(jws.JWSRegistry):
    # Some providers put their certificates into the header; we do not read them.
    max_header_length = 16 * 1024


class Header(Struct, frozen=True):
    algorithm: str
    kid: str | None


class ExpectedToken(Struct, frozen=True):
    """What a token must contain. `is_nonce` tells whether a nonce is that of this sign-in."""

    issuer: str
    client_id: str
    is_nonce: Callable[[str], bool]
    access_token: str | None


def read_header(token: str, allowed: Sequence[str]) -> Header:
    """Reads the unverified header, only to find the key. Raises SignInRefused."""
    if len(token) > LONGEST_TOKEN or not token.isascii() or token.count(".") != 2:
        raise SignInRefused("token_unreadable", "a signed JWT", "something else")
    try:
        header = read_object(urlsafe_b64decode(token.partition(".")[0].encode()))
    except (*_UNREADABLE, Unreadable):
        raise SignInRefused("token_unreadable", "a signed JWT", "something else") from None
    algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
    if algorithm not in ALGORITHMS or algorithm not in allowed:
        raise SignInRefused("algorithm_not_allowed", ", ".join(allowed), str(algorithm))
    if "crit" in header or "b64" in header or not isinstance(kind, str) or kind.upper() != "JWT":
        raise SignInRefused("token_unreadable", "typ JWT and no crit", "something else")
    if kid is not None and not isinstance(kid, str):
        raise SignInRefused("token_unreadable", "a kid that is text", "something else")
    return Header(algorithm, kid)


def verify(
    token: str, header: Header, keys: Sequence[Mapping[str, Any]], expected: ExpectedToken, now: datetime
) -> dict[str, Any]:
    """Returns the verified claims. `keys` are the candidates for the header. Raises SignInRefused."""
    claims = _verify_signature(token, header, keys)
    _check_parties(claims, expected)
    _check_times(claims, now)
    nonce = claims.get("nonce")
    if not isinstance(nonce, str) or not expected.is_nonce(nonce):
        raise SignInRefused(
            "nonce_mismatch", "the nonce of this sign-in", "none" if nonce is None else "another"
        )
    if "at_hash" in claims:
        _check_access_token(claims["at_hash"], expected.access_token, header.algorithm)
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or not _is_plain(subject):
        raise SignInRefused("subject_unreadable")
    return claims


def _verify_signature(token: str, header: Header, keys: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    registry = _Registry(algorithms=[header.algorithm], strict_check_header=False)
    for key in keys:
        try:
            signed = jws.extract_compact(token.encode(), registry=registry)
            if jws.validate_compact(signed, load_public_key(key), registry=registry):
                return read_object(signed.payload or b"")
        except Unreadable:
            raise SignInRefused("token_unreadable", "claims", "something else") from None
        except _UNREADABLE:
            continue
    raise SignInRefused("signature_invalid", f"a signature by {len(keys)} known keys", "another")


def _check_parties(claims: Mapping[str, Any], expected: ExpectedToken) -> None:
    issuer, audience, party = claims.get("iss"), claims.get("aud"), claims.get("azp")
    if issuer != expected.issuer or not isinstance(issuer, str):
        raise SignInRefused("token_issuer", expected.issuer, str(issuer))
    audiences = [audience] if isinstance(audience, str) else audience
    if not isinstance(audiences, list) or expected.client_id not in audiences:
        raise SignInRefused("token_audience", expected.client_id, str(audience))
    if (len(audiences) > 1 or "azp" in claims) and party != expected.client_id:
        raise SignInRefused("token_party", expected.client_id, str(party))


def _check_times(claims: Mapping[str, Any], now: datetime) -> None:
    at, skew = now.timestamp(), SKEW.total_seconds()
    expires, issued, begins = (_seconds(claims, name) for name in ("exp", "iat", "nbf"))
    if expires is None or issued is None:
        raise SignInRefused("token_time", "exp and iat", "none")
    if expires + skew <= at:
        raise SignInRefused("token_expired", f"exp after {at:.0f}", f"{expires:.0f}")
    if issued - skew > at or (begins is not None and begins - skew > at):
        raise SignInRefused("token_in_future", f"iat until {at:.0f}", f"{max(issued, begins or 0):.0f}")
    if issued + OLDEST_TOKEN.total_seconds() + skew < at:
        raise SignInRefused(
            "token_too_old", f"iat since {at - OLDEST_TOKEN.total_seconds():.0f}", f"{issued:.0f}"
        )


def _seconds(claims: Mapping[str, Any], name: str) -> float | None:
    """Returns None if the claim is missing. Raises SignInRefused if it is not a time."""
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SignInRefused("token_time", f"{name} as a number", "something else")
    if not math.isfinite(value) or abs(value) > 1e11:
        raise SignInRefused("token_time", f"{name} as a moment", "a number that is none")
    return float(value)


def _check_access_token(at_hash: object, access_token: str | None, algorithm: str) -> None:
    """Checks `at_hash`. Fails for an algorithm whose hash is unknown."""
    digest = _HASHES.get(algorithm) or _HASHES.get(algorithm[-3:])
    if digest is None or access_token is None or not isinstance(at_hash, str):
        raise SignInRefused("access_token_mismatch", "a hash of the access token", "none")
    whole: bytes = digest(access_token.encode()).digest()
    right = urlsafe_b64encode(whole[: len(whole) // 2]).rstrip(b"=")
    if not compare_digest(right, at_hash.encode(errors="replace")):
        raise SignInRefused("access_token_mismatch", "a hash of the access token", "another")


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()
