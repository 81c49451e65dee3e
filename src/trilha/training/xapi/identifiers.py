"""Keys of agents, verbs and activities: hashes of what identifies them, of one length and quick to compare."""

from hashlib import blake2b
from typing import Any
from uuid import UUID

NIL = UUID(int=0)
# the properties that identify an agent or a group (inverse functional identifiers)
IDENTIFIERS = ("mbox", "mbox_sha1sum", "openid", "account")


def _hash(*parts: str) -> UUID:
    digest = blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(4))
        digest.update(encoded)
    return UUID(bytes=digest.digest())


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
