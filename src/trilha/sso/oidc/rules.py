"""What is taken of a provider, and for how long. No I/O and no clock."""

import json
from datetime import timedelta
from typing import Any

# Asymmetric ones alone: whoever has the client's secret must not be able to sign.
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
# How long a key set is believed, within what the provider says of it; and how long after that while the
# provider cannot be asked.
KEYS_LEAST, KEYS_MOST, KEYS_USUAL = timedelta(minutes=15), timedelta(hours=24), timedelta(hours=1)
KEYS_STALE = timedelta(hours=24)
# How often a connection's keys are asked for at most, however many unknown ones are named.
KEYS_REST = timedelta(seconds=60)
# RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core section 3.1.2.6. One that is none of these is not
# repeated.
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
    """Not one JSON object, or one that may be read in two ways."""


def read_object(text: bytes | str) -> dict[str, Any]:
    """A JSON object whose members have each a name of their own. Raises Unreadable."""
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


def known_error(text: object) -> str:
    return text if isinstance(text, str) and text in ERRORS else "another error"


def lifetime(max_age: int | None) -> timedelta:
    """How long a key set is believed whose answer may be kept for so many seconds."""
    said = KEYS_USUAL if max_age is None else timedelta(seconds=max_age)
    return min(max(said, KEYS_LEAST), KEYS_MOST)


def discovery_url(issuer: str) -> str:
    """OpenID Connect Discovery section 4."""
    return f"{issuer.removesuffix('/')}/.well-known/openid-configuration"
