"""Keys of agents, verbs and activities: hashes of what identifies them, quick to compare."""

from functools import lru_cache
from hashlib import blake2b
from typing import Any
from uuid import UUID

NIL = UUID(int=0)
_LONGEST_CACHED = 1000
# the properties that identify an agent or a group (inverse functional identifiers)
IDENTIFIERS = ("mbox", "mbox_sha1sum", "openid", "account")


def _hash(*parts: str) -> UUID:
    text = "\0".join(parts)  # no identifier has a NUL character
    return _hash_often(text) if len(text) <= _LONGEST_CACHED else _hash_text(text)


def _hash_text(text: str) -> UUID:
    return UUID(bytes=blake2b(text.encode(), digest_size=16).digest())


# The same agents, verbs and activities are in many statements.
_hash_often = lru_cache(8192)(_hash_text)


def activity_key(iri: str) -> UUID:
    return _hash("activity", iri)


def verb_key(iri: str) -> UUID:
    return _hash("verb", iri)


def agent_key(agent: dict[str, Any]) -> UUID | None:
    """Returns the key of an agent or identified group; None for an anonymous group."""
    if account := agent.get("account"):
        return account_key(account["homePage"], account["name"])
    if mbox := agent.get("mbox"):
        return _hash("mbox", mbox)
    if sha1 := agent.get("mbox_sha1sum"):
        return _hash("mbox_sha1sum", sha1.lower())
    if openid := agent.get("openid"):
        return _hash("openid", openid)
    return None


def account_key(home_page: str, name: str) -> UUID:
    return _hash("account", home_page, name)
