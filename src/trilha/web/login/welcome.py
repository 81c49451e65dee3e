"""Finds the tenant that the address or the host names, and gives the page its name and colors."""

from urllib.parse import urlsplit
from uuid import UUID

from msgspec.structs import replace

from trilha.core.database import Database
from trilha.core.types import InvalidValue
from trilha.core.web.request import Request
from trilha.kit import Page, brand, locale_of, page_of
from trilha.platform.tenants import unscoped as tenants
from trilha.platform.tenants.schema import Sign, TypedSlug


class Welcome:
    """Builds the pages of sign-in. `address` is the server's own."""

    def __init__(self, database: Database, address: str) -> None:
        self._database = database
        self._host = urlsplit(address).netloc

    def slug_of(self, request: Request) -> str:
        """Returns the slug in a host such as `aurora.learn.example.com`, or an empty string."""
        label, _, rest = (request.header(b"host") or "").partition(".")
        return parse_slug(label) if rest == self._host else ""

    async def page(self, request: Request, slug: str) -> Page:
        """Returns the tenant's page; for an unknown or suspended tenant, one with the slug as its name."""
        sign = None
        if known := parse_slug(slug):
            async with self._database.unscoped() as connection:
                sign = await tenants.find_sign(connection, known)
        return _page(request, sign, known)

    async def page_of_tenant(self, request: Request, tenant_id: UUID | None) -> tuple[Page, str]:
        """Returns the tenant's page and slug; without a tenant, the page of Trilha."""
        sign = None
        if tenant_id is not None:
            async with self._database.unscoped() as connection:
                sign = await tenants.find_sign_of(connection, tenant_id)
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


def parse_slug(text: str) -> str:
    """Returns the text as a slug, or an empty string if it cannot be one."""
    try:
        return TypedSlug.parse(text)
    except InvalidValue:
        return ""
