"""Decides who passkeys are for, how long challenges live, and what an answer must not say."""

import hashlib
import ipaddress
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import UUID

from trilha.access.sessions.passkeys.schema import Assertion, Passkey, RelyingParty

CHALLENGE_LIFETIME = timedelta(minutes=10)
# A passkey is registered only this long after the person has signed in or typed their password.
RECENT = timedelta(minutes=15)
MAX_PASSKEYS = 20  # of one person


def find_relying_party(address: str, slug: str) -> RelyingParty | None:
    """Returns the relying party of a server's address and its tenant's own host below it.

    None if browsers have no passkeys there: for an IP address, or without TLS on another host than one's own.
    """
    parts = urlsplit(address)
    host = (parts.hostname or "").lower()
    if not host or _is_ip_address(host) or (parts.scheme != "https" and host != "localhost"):
        return None
    origins = [f"{parts.scheme}://{parts.netloc}".lower()]
    if slug:
        origins.append(f"{parts.scheme}://{slug}.{parts.netloc}".lower())
    return RelyingParty(host, origins)


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def build_user_handle(tenant_id: UUID, user_id: UUID) -> bytes:
    """Returns the number by which authenticators know a person. It says nothing about them."""
    return hashlib.sha256(b"passkey" + tenant_id.bytes + user_id.bytes).digest()


def build_signature_challenge(nonce: bytes, digest: bytes) -> bytes:
    """Returns the challenge of a signature. It belongs to this document alone, and to one attempt."""
    return hashlib.sha256(nonce + digest).digest()


def may_be_copied(passkey: Passkey, assertion: Assertion) -> bool:
    """Tells whether the counter went back, or the kind of passkey changed: two devices have the key."""
    if assertion.may_sync != passkey.may_sync:
        return True
    counted = assertion.sign_count > 0 or passkey.sign_count > 0
    return counted and assertion.sign_count <= passkey.sign_count
