"""The security headers of every page."""

from collections.abc import Mapping

# Only our own scripts and styles; no framing, foreign base or foreign form target.
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}


def policy(**changed: str) -> str:
    """Returns the header's value. A page that needs more passes it: `policy(frame_src="'self'")`."""
    sources = POLICY | {name.replace("_", "-"): value for name, value in changed.items()}
    return "; ".join(f"{name} {value}" for name, value in sources.items())


HEADERS: Mapping[str, str] = {
    "content-security-policy": policy(),
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Pages contain personal data, which the back button must not show after signing out.
    "cache-control": "no-store",
    "vary": "HX-Request",
}
