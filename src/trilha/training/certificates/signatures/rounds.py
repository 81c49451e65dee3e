"""Counts the hash iterations of a PKCS #12 file from its ASN.1 before running any (RFC 7292, RFC 8018).

Iterations inside an encrypted part are not visible here, so that opening the file has a time limit as well.
"""

from collections.abc import Iterator
from typing import Any

from asn1crypto.algos import EncryptionAlgorithm
from asn1crypto.cms import ContentInfo
from asn1crypto.pkcs12 import Pfx, SafeContents

# A bag may contain other bags.
_DEEPEST = 8


def count_rounds(content: bytes) -> int:
    """Raises ValueError, or another error of the parser, if this is no PKCS #12 file."""
    pfx = Pfx.load(content, strict=True)
    mac = pfx["mac_data"]
    found = 0 if mac.native is None else int(mac["iterations"].native)
    return found + sum(_rounds_of_part(part) for part in pfx.authenticated_safe)


def _rounds_of_part(part: ContentInfo) -> int:
    kind = part["content_type"].native
    if kind == "encrypted_data":
        return _rounds_of(part["content"]["encrypted_content_info"]["content_encryption_algorithm"])
    if kind == "data":
        return sum(_rounds_of_bags(SafeContents.load(part["content"].native, strict=True)))
    raise ValueError("a part of another kind")


def _rounds_of_bags(bags: Any, depth: int = 1) -> Iterator[int]:
    if depth > _DEEPEST:
        raise ValueError("too many bags in bags")
    for bag in bags:
        kind = bag["bag_id"].native
        if kind == "pkcs8_shrouded_key_bag":
            yield _rounds_of(bag["bag_value"]["encryption_algorithm"])
        elif kind == "safe_contents":
            yield from _rounds_of_bags(bag["bag_value"], depth + 1)


def _rounds_of(algorithm: EncryptionAlgorithm) -> int:
    """Returns the iterations; a negative number counts as none, because OpenSSL refuses it."""
    return max(0, int(algorithm.kdf_iterations))
