"""The hash chain of an evidence file, which `examples/check_evidence.py` verifies without this code.

Each link is the SHA-256, in hex, of the previous link, a line feed and the item as canonical JSON: members in
alphabetical order, no spaces, UTF-8. The first link covers the subject and has no previous link; the entries
of the log follow, and last the summary, whose link is the digest of the whole file. The digest is signed with
the key of the tenant's badges (Ed25519, RFC 8032).
"""

import hashlib
import json
from typing import Any

from trilha.training.certificates.badges.keys import SigningKey

FORMAT = "trilha-evidence/2"


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def link(before: str, value: Any) -> str:
    return hashlib.sha256(f"{before}\n{canonical(value)}".encode()).hexdigest()


def signature(key: SigningKey, keys: str, digest: str) -> dict[str, str]:
    """Signs the digest. `keys` is the address of the tenant's published keys. A prefix keeps the signed bytes
    from being a valid badge.
    """
    private = key.key.private_key
    return {
        "algorithm": "Ed25519",
        "keys": keys,
        "key": private.public_key().public_bytes_raw().hex(),
        "value": private.sign(f"{FORMAT}\n{keys}\n{digest}".encode()).hex(),
    }
