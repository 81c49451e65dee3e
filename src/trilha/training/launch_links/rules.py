"""Lifetimes of launch links, and which addresses they may lead back to. No I/O, no clock."""

import re
from datetime import timedelta
from urllib.parse import urlsplit

from trilha.core.errors import invalid

LIFETIME = timedelta(minutes=5)
# As long as a session lasts, which leads back to the link's address.
RETENTION = timedelta(hours=13)
# A browser may send a link twice at once.
AT_ONCE = timedelta(seconds=5)
# The page that takes a link. The token is in the fragment, so that it reaches no log and no other site.
PAGE = "/login/launch"
_SHAPE = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?([/?#][\x21-\x5b\x5d-\x7e]*)?", re.IGNORECASE)


def check_return_url(url: str, *, plain_http: bool) -> str:
    """Returns the address. Raises Invalid (invalid_url, https_required)."""
    if not _SHAPE.fullmatch(url):
        raise invalid("return_url", "invalid_url")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise invalid("return_url", "invalid_url") from None
    if not host:
        raise invalid("return_url", "invalid_url")
    if parts.scheme.lower() != "https" and not plain_http:
        raise invalid("return_url", "https_required")
    return url


def get_host(url: str) -> str:
    """Returns the host of an address that `check_return_url` has accepted."""
    return urlsplit(url).hostname or ""
