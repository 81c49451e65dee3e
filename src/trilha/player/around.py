"""The page around the frame, which is on the application's own address: how it is sent and what it may do."""

from collections.abc import Sequence
from urllib.parse import urlencode
from uuid import UUID

from trilha.core.web.answers import Headers, encoded
from trilha.core.web.request import Request
from trilha.pages import Page, brand
from trilha.pages.headers import HEADERS, policy
from trilha.player.origin import ContentOrigin
from trilha.player.permissions import outer_policy

# Windows that content opens have to find the frame that opened them.
OWN_HEADERS = {**HEADERS, "cross-origin-opener-policy": "same-origin-allow-popups"}


def is_unasked(request: Request) -> bool:
    """Another site led here, or the browser looks ahead: whoever sits there has not opened a module."""
    purposes = (request.header(b"sec-purpose") or "", request.header(b"purpose") or "")
    return request.header(b"sec-fetch-site") == "cross-site" or "prefetch" in " ".join(purposes).lower()


def origin_of(origin: ContentOrigin, request: Request, tenant_id: UUID, sha256: str | None) -> str:
    """Of the content of a package; of the tenant's media where there is none."""
    return origin.address(origin.label(tenant_id, sha256), request.header(b"host") or "")


def address(content: str, token: str, page: Page) -> str:
    """Of a launch. What its page is written in, and its colors: nothing else is known there."""
    look = {"locale": page.locale, "theme": page.theme, "brand": brand.name_in(page.brand_url)}
    return f"{content}/l/{token}/?{urlencode({name: value for name, value in look.items() if value})}"


def policies(contents: Sequence[str], devices: Sequence[str]) -> Headers:
    """The headers of a page that frames these origins; `devices` are those that the module may use."""
    return encoded(
        {
            "content-security-policy": policy(frame_src=" ".join(contents) or "'none'"),
            "permissions-policy": outer_policy(devices, contents),
        }
    )
