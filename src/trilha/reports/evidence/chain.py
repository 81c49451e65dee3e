"""The chain of an evidence file, which `examples/check_evidence.py` checks without any of this code.

Each link is the SHA-256, in hex, of the link before it, a line feed and what it is of, as canonical JSON:
members in alphabetical order, no blanks, UTF-8. The first link is of the subject, with nothing before it;
then come the entries of the log, and last the summary, whose link is the digest of the whole file. That is
signed with the key of the tenant's badges (Ed25519, RFC 8032).
"""

import hashlib
import json
from typing import Any

from trilha.certificates.badges.keys import SigningKey

FORMAT = "trilha-evidence/2"


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def link(before: str, value: Any) -> str:
    return hashlib.sha256(f"{before}\n{canonical(value)}".encode()).hexdigest()


def signature(key: SigningKey, keys: str, digest: str) -> dict[str, str]:
    """`keys` is where the tenant publishes its keys. What is signed begins so that it is no badge."""
    private = key.key.private_key
    return {
        "algorithm": "Ed25519",
        "keys": keys,
        "key": private.public_key().public_bytes_raw().hex(),
        "value": private.sign(f"{FORMAT}\n{keys}\n{digest}".encode()).hex(),
    }
