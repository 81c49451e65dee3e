"""The Content Security Policy of the pages in the player's frame, and their other headers."""

from collections.abc import Mapping

from trilha.web.player.permissions_policy import inner_policy

# Only our own files; packages have another policy, in `surface`.
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


def policy(application: str, changed: Mapping[str, str]) -> str:
    """Returns the content policy as a header. `application` are the origins that may frame the page."""
    sources = _POLICY | {"frame-ancestors": application} | dict(changed)
    return "; ".join(f"{name} {value}" for name, value in sources.items())
