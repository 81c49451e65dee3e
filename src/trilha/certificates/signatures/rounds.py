"""How many rounds of hashing a PKCS #12 file asks for, read from its ASN.1 before any of them is done
(RFC 7292, RFC 8018).

What stands inside an encrypted part is not seen here: whoever opens the file has a limit of time as well.
"""

from collections.abc import Iterator
from typing import Any

from asn1crypto.algos import EncryptionAlgorithm
from asn1crypto.cms import ContentInfo
from asn1crypto.pkcs12 import Pfx, SafeContents

# A bag may hold further bags.
_DEEPEST = 8


def count_rounds(content: bytes) -> int:
    """Raises ValueError, or whatever else the parser raises, for what is no PKCS #12 file."""
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
    """A negative count is counted as none: OpenSSL refuses it."""
    return max(0, int(algorithm.kdf_iterations))
