"""A provider's public keys: which of a set may sign, and which of them a token may be signed with."""

from collections.abc import Mapping, Sequence
from typing import Any

from trilha.core.public_keys import load_public_key, public_members
from trilha.sso.oidc.rules import ALGORITHMS, Unreadable, read_object

_MOST_KEYS = 100
_LONGEST_ID = 255
_TYPES = ("RSA", "EC", "OKP")
_CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "EdDSA": "Ed25519", "Ed25519": "Ed25519"}
# How many keys one token is tried with, where its header does not name one.
_MOST_TRIED = 10


def read_set(body: bytes) -> list[dict[str, Any]]:
    """The keys of a set that may sign; those that cannot be read, encrypt or are weak are passed over."""
    try:
        members = read_object(body).get("keys")
    except Unreadable:
        return []
    if not isinstance(members, list):
        return []
    return [key for each in members[:_MOST_KEYS] if (key := _public(each)) is not None]


def _public(key: object) -> dict[str, Any] | None:
    """What is kept of one; None for one that may not sign."""
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
    """Those that a token of this header may be signed with; none where its key is not among them."""
    fitting = [
        key
        for key in keys
        if key.get("alg", algorithm) == algorithm
        and (kid is None or key.get("kid") == kid)
        and _fits(key, algorithm)
    ]
    return fitting[:_MOST_TRIED]


def _fits(key: Mapping[str, Any], algorithm: str) -> bool:
    curve = _CURVES.get(algorithm)
    return bool(key["kty"] == "RSA" if curve is None else key.get("crv") == curve)
