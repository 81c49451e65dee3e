"""A provider's public keys: which keys of a set may sign, and which of them may have signed a token."""

from collections.abc import Mapping, Sequence
from typing import Any

from trilha.access.sso.oidc.rules import ALGORITHMS, Unreadable, read_object
from trilha.core.public_keys import load_public_key, public_members

_MAX_KEYS = 100
_LONGEST_ID = 255
_TYPES = ("RSA", "EC", "OKP")
_CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "EdDSA": "Ed25519", "Ed25519": "Ed25519"}
# How many keys are tried for a token whose header does not name its key.
_MAX_TRIED = 10


def read_set(body: bytes) -> list[dict[str, Any]]:
    """Returns the keys of a set that may sign. Keys that are unreadable, weak or meant for encryption are
    skipped.
    """
    try:
        members = read_object(body).get("keys")
    except Unreadable:
        return []
    if not isinstance(members, list):
        return []
    return [key for each in members[:_MAX_KEYS] if (key := _public(each)) is not None]


def _public(key: object) -> dict[str, Any] | None:
    """Returns the public part to store, or None if the key may not sign."""
    if not isinstance(key, dict) or key.get("kty") not in _TYPES or key.get("use", "sig") != "sig":
        return None
    operations, kid, algorithm = key.get("key_ops", ["verify"]), key.get("kid"), key.get("alg")
    if not isinstance(operations, list) or "verify" not in operations:
        return None
    if algorithm is not None and algorithm not in ALGORITHMS:
        return None
    if kid is not None and not (isinstance(kid, str) and 0 < len(kid) <= _LONGEST_ID and kid.isprintable()):
        return None
    kept = public_members(key)
    if load_public_key(kept) is None:
        return None
    return kept | ({"kid": kid} if kid else {}) | ({"alg": algorithm} if algorithm else {})


def candidates(keys: Sequence[Mapping[str, Any]], kid: str | None, algorithm: str) -> list[Mapping[str, Any]]:
    """Returns the keys that may have signed a token with this header; none if its key is not in the set."""
    fitting = [
        key
        for key in keys
        if key.get("alg", algorithm) == algorithm
        and (kid is None or key.get("kid") == kid)
        and _fits(key, algorithm)
    ]
    return fitting[:_MAX_TRIED]


def _fits(key: Mapping[str, Any], algorithm: str) -> bool:
    curve = _CURVES.get(algorithm)
    return bool(key["kty"] == "RSA" if curve is None else key.get("crv") == curve)
