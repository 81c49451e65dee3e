"""What every page is sent with."""

from collections.abc import Mapping

# No script or style but our own files; nobody frames a page, and no base or foreign form target moves a link.
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
    """As a header. A page that needs more says what: `policy(frame_src="'self'")`."""
    sources = POLICY | {name.replace("_", "-"): value for name, value in changed.items()}
    return "; ".join(f"{name} {value}" for name, value in sources.items())


HEADERS: Mapping[str, str] = {
    "content-security-policy": policy(),
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Pages hold personal data: after signing out, "back" must not show them again.
    "cache-control": "no-store",
    "vary": "HX-Request",
}
