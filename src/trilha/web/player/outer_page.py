"""The outer page, on the application's own origin, that contains the frame: its headers and permissions."""

from collections.abc import Sequence
from urllib.parse import urlencode
from uuid import UUID

from trilha.core.web.answers import Headers, encode_headers
from trilha.core.web.request import Request
from trilha.kit import Page, brand
from trilha.kit.content_security_policy import HEADERS, policy
from trilha.web.player.origin import ContentOrigin
from trilha.web.player.permissions_policy import outer_policy

# Windows that content opens have to find the frame that opened them.
OWN_HEADERS = {**HEADERS, "cross-origin-opener-policy": "same-origin-allow-popups"}


def needs_confirmation(request: Request) -> bool:
    """Whether another site led here or the browser prefetches: then the person has not opened the module."""
    purposes = (request.header(b"sec-purpose") or "", request.header(b"purpose") or "")
    return request.header(b"sec-fetch-site") == "cross-site" or "prefetch" in " ".join(purposes).lower()


def get_content_origin(origin: ContentOrigin, request: Request, tenant_id: UUID, sha256: str | None) -> str:
    """Returns the content origin of a package, or that of the tenant's media if there is no package."""
    return origin.address(origin.label(tenant_id, sha256), request.header(b"host") or "")


def build_address(content: str, token: str, page: Page, own: str = "", translation: str = "") -> str:
    """Returns the address of a launch's frame, with the language, theme and brand that its page needs.
    `own` is the course's language, and `translation` the further one in which the module is shown, if any.
    """
    look = {"locale": page.locale, "theme": page.theme, "brand": brand.name_in(page.brand_url)}
    look |= {"own": own, "translation": translation}
    return f"{content}/l/{token}/?{urlencode({name: value for name, value in look.items() if value})}"


def build_policy_headers(contents: Sequence[str], devices: Sequence[str]) -> Headers:
    """Returns the headers of a page that frames these origins. The module may use `devices`."""
    return encode_headers(
        {
            "content-security-policy": policy(frame_src=" ".join(contents) or "'none'"),
            "permissions-policy": outer_policy(devices, contents),
        }
    )
