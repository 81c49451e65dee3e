"""Which answers of a provider are accepted, and for how long. No I/O and no clock."""

import json
from datetime import timedelta
from typing import Any

# Only asymmetric ones: whoever has the client's secret must not be able to sign.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
DEFAULT_ALGORITHMS = ALGORITHMS
SKEW = timedelta(seconds=60)
OLDEST_TOKEN = timedelta(minutes=10)
LONGEST_CODE = 4096
LONGEST_TOKEN = 64 * 1024
DOCUMENT_AGE = timedelta(days=1)
# How long a key set is trusted, within what the provider allows, and for how much longer while the provider
# cannot be reached.
KEYS_MIN_AGE, KEYS_MAX_AGE, KEYS_DEFAULT_AGE = timedelta(minutes=15), timedelta(hours=24), timedelta(hours=1)
KEYS_STALE = timedelta(hours=24)
# The shortest time between two fetches of a connection's keys, however many unknown keys tokens name.
KEYS_REST = timedelta(seconds=60)
# RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core section 3.1.2.6. Other errors are not shown.
ERRORS = frozenset(
    (
        *("invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type"),
        *("invalid_scope", "server_error", "temporarily_unavailable", "invalid_client", "invalid_grant"),
        *("unsupported_grant_type", "interaction_required", "login_required", "account_selection_required"),
        *("consent_required", "invalid_request_uri", "invalid_request_object", "request_not_supported"),
        *("request_uri_not_supported", "registration_not_supported"),
    )
)


class Unreadable(ValueError):
    """Raised for text that is not one JSON object, or that can be read in two ways."""


def read_object(text: bytes | str) -> dict[str, Any]:
    """Returns a JSON object whose member names are unique. Raises Unreadable."""
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise Unreadable from None
    if not isinstance(value, dict):
        raise Unreadable
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a member is there twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def name_error(text: object) -> str:
    return text if isinstance(text, str) and text in ERRORS else "another error"


def lifetime(max_age: int | None) -> timedelta:
    """Returns how long to trust a key set whose response may be cached for `max_age` seconds."""
    said = KEYS_DEFAULT_AGE if max_age is None else timedelta(seconds=max_age)
    return min(max(said, KEYS_MIN_AGE), KEYS_MAX_AGE)


def discovery_url(issuer: str) -> str:
    """Returns the address of the discovery document (OpenID Connect Discovery section 4)."""
    return f"{issuer.removesuffix('/')}/.well-known/openid-configuration"
