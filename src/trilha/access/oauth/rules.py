"""Parses requests to /oauth, client ids and scopes."""

import base64
import re
import secrets
import string
from urllib.parse import unquote_plus
from uuid import UUID

from trilha.access.oauth.errors import OAuthError, invalid_client

CLIENT_PREFIX = "trl_client_"
SECRET_PREFIX = "trl_secret_"  # noqa: S105
_BASE62 = string.digits + string.ascii_letters


def client_name(id: UUID) -> str:
    """Returns the public client_id."""
    return CLIENT_PREFIX + id.hex


def parse_client_name(text: str) -> UUID | None:
    digits = text.removeprefix(CLIENT_PREFIX)
    if digits == text or not re.fullmatch("[0-9a-f]{32}", digits):
        return None
    return UUID(digits)


def generate_secret() -> str:
    """Returns a new secret with more than 256 bits of randomness."""
    return SECRET_PREFIX + "".join(secrets.choice(_BASE62) for _ in range(43))


def parse_basic(credentials: str) -> tuple[str, str]:
    """Parses the client_id and secret of an Authorization header. Raises OAuthError.

    Both are form-encoded before they are joined (RFC 6749 section 2.3.1 and appendix B).
    """
    scheme, _, encoded = credentials.partition(" ")
    try:
        if scheme.lower() != "basic":
            raise invalid_client()
        name, colon, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError:  # includes binascii.Error
        raise invalid_client() from None
    if not colon or not name or not secret:
        raise invalid_client()
    return unquote_plus(name), unquote_plus(secret)


def parse_scope(text: str | None, allowed: list[str]) -> list[str]:
    """Returns the requested scopes, in the client's order; without a request, all of the client's. Raises
    OAuthError.
    """
    if text is None:
        return allowed
    requested = text.split(" ")
    if not all(scope in allowed for scope in requested):
        raise OAuthError("invalid_scope", "A scope is unknown or not granted to this client.")
    return [scope for scope in allowed if scope in requested]
