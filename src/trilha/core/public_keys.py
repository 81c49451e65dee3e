"""Checks foreign public keys (JWK, RFC 7517) before they are imported.

Importing a private RSA key takes a second or more, and the cost of verifying grows with the modulus and
the exponent. Both are limited by the length of their Base64 before any computation.
"""

from collections.abc import Mapping
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, JWKRegistry, OKPKey, RSAKey

PublicKey = RSAKey | ECKey | OKPKey

# Exceptions of importing an invalid key, because a JWK can hold anything.
_UNREADABLE = (JoseError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
_RSA_BITS = range(2048, 8193)
_LARGEST_EXPONENT = 2**32
_CURVES = ("P-256", "P-384", "P-521", "Ed25519")
# The members of each type and their maximum lengths (P-521 and 8192 bits need 88 and 1366 characters).
_PUBLIC = {
    "RSA": {"n": 1400, "e": 8},
    "EC": {"crv": 20, "x": 88, "y": 88},
    "OKP": {"crv": 20, "x": 88},
}
_PRIVATE = frozenset(("d", "p", "q", "dp", "dq", "qi", "oth", "k"))
# Members that describe the use of a key. No others are passed to the library.
_DESCRIPTIVE = ("kid", "alg", "use", "key_ops")


def load_public_key(key: object) -> PublicKey | None:
    """Returns the key, or None if it is private, weak, too large, of an unknown type, or malformed."""
    if not isinstance(key, Mapping) or not isinstance(kind := key.get("kty"), str) or kind not in _PUBLIC:
        return None
    if _PRIVATE & key.keys():
        return None
    lengths = _PUBLIC[kind]
    if not all(isinstance(text := key.get(name), str) and len(text) <= lengths[name] for name in lengths):
        return None
    measured: dict[str, Any] = {name: key[name] for name in ("kty", *lengths, *_DESCRIPTIVE) if name in key}
    try:
        loaded = JWKRegistry.import_key(measured)
        return loaded if _is_strong(loaded) else None  # type: ignore[return-value]
    except _UNREADABLE:
        return None


def public_members(key: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a key's type and the members that define it."""
    return {name: key.get(name) for name in ("kty", *_PUBLIC[key["kty"]])}


def _is_strong(key: object) -> bool:
    if isinstance(key, RSAKey):
        public = key.public_key
        return public.key_size in _RSA_BITS and 3 <= public.public_numbers().e < _LARGEST_EXPONENT
    if isinstance(key, ECKey | OKPKey):
        return key.public_key is not None and key.get("crv") in _CURVES
    return False
