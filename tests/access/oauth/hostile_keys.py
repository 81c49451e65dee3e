"""JWKs that are cheap to send and expensive to import."""

from base64 import urlsafe_b64encode
from typing import Any


def encode_number(number: int) -> str:
    raw = number.to_bytes((number.bit_length() + 7) // 8)
    return urlsafe_b64encode(raw).decode().rstrip("=")


# The product of two Mersenne primes: a modulus of 8,670 bits without a search for primes.
P, Q = 2**4253 - 1, 2**4423 - 1


def rsa(**members: Any) -> dict[str, Any]:
    return {"kty": "RSA", "n": encode_number(P * Q), "e": "AQAB"} | members


# Importing a key without its factors searches for them.
ONLY_D = rsa(d=encode_number(pow(65537, -1, (P - 1) * (Q - 1))))
LARGE_EXPONENT = rsa(e=encode_number(2**5000 + 1))
LARGE_MODULUS = rsa(n=encode_number(2**200_000 + 1))
