"""The chain of an evidence file, which `examples/check_evidence.py` checks without any of this code.

Each link is the SHA-256, in hex, of the link before it, a line feed and what it is of, as canonical JSON:
members in alphabetical order, no blanks, UTF-8. The first link is of the subject, with nothing before it;
then come the entries of the log, and last the summary, whose link is the digest of the whole file.
"""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def link(before: str, value: Any) -> str:
    return hashlib.sha256(f"{before}\n{canonical(value)}".encode()).hexdigest()
