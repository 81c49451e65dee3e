"""The Content Security Policies of packages and of the player's own pages, and their other headers."""

from collections.abc import Mapping

from trilha.web.player.origin import ContentOrigin
from trilha.web.player.permissions_policy import inner_policy

# For the player's own pages, which load only our own files.
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "font-src": "'self'",
    "media-src": "'self' blob:",
    "connect-src": "'self'",
    "frame-src": "'self'",
    "worker-src": "'self'",
    "form-action": "'none'",
    "base-uri": "'none'",
}

# For every answer of the content origin.
HEADERS: Mapping[str, str] = {
    # The address contains a token.
    "referrer-policy": "no-referrer",
    "permissions-policy": inner_policy(),
    "cross-origin-resource-policy": "same-origin",
}


def build_page_policy(application: str, changed: Mapping[str, str]) -> str:
    """Returns the content policy as a header. `application` are the origins that may frame the page."""
    sources = _POLICY | {"frame-ancestors": application} | dict(changed)
    return "; ".join(f"{name} {value}" for name, value in sources.items())


def build_package_headers(origin: ContentOrigin) -> dict[str, str]:
    """Returns the headers of every answer of the content origin, with the policy of packages.

    A package may load anything from elsewhere, but we decide who frames it and where its forms go.
    """
    return {
        "content-security-policy": f"frame-ancestors 'self' {origin.application}; form-action 'self'",
        **HEADERS,
    }
