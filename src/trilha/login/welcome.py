"""Whose sign-in this is: of the tenant that the address or the host names, under its own name and colours."""

from urllib.parse import urlsplit
from uuid import UUID

from msgspec.structs import replace

from trilha.core.database import Database
from trilha.core.types import Refused
from trilha.core.web.request import Request
from trilha.pages import Page, brand, locale_of, page_of
from trilha.tenants import unscoped as tenants
from trilha.tenants.schema import Sign, TypedSlug


class Welcome:
    """Makes the pages of sign-in. `address` is the server's own."""

    def __init__(self, database: Database, address: str) -> None:
        self._database = database
        self._host = urlsplit(address).netloc

    def slug_of(self, request: Request) -> str:
        """The tenant of `aurora.learn.example.com`, where the server is `learn.example.com`; else empty."""
        label, _, rest = (request.header(b"host") or "").partition(".")
        return readable(label) if rest == self._host else ""

    async def page(self, request: Request, slug: str) -> Page:
        """Of a tenant that is unknown or suspended, the same page under the name that was given."""
        sign = None
        if known := readable(slug):
            async with self._database.unscoped() as asked:
                sign = await tenants.find_sign(asked, known)
        return _page(request, sign, known)

    async def page_of_tenant(self, request: Request, tenant_id: UUID | None) -> tuple[Page, str]:
        """And the tenant's slug; of none, the page of Trilha."""
        sign = None
        if tenant_id is not None:
            async with self._database.unscoped() as asked:
                sign = await tenants.find_sign_of(asked, tenant_id)
        return _page(request, sign, ""), sign.slug if sign else ""


def _page(request: Request, sign: Sign | None, slug: str) -> Page:
    page = page_of(request)
    if sign is None:
        return replace(page, tenant_name=slug)
    return replace(
        page,
        locale=locale_of(request, None, sign.locale),
        time_zone=sign.time_zone,
        tenant_name=sign.name,
        brand_url=brand.address(sign.brand_colour) if sign.brand_colour else None,
        logo_url=f"/logos/{sign.logo_name}" if sign.logo_name else None,
        homologation=sign.environment == "homologation",
    )


def readable(text: str) -> str:
    """As a slug; empty where it cannot be one."""
    try:
        return TypedSlug.parse(text)
    except Refused:
        return ""
