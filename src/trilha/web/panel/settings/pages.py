"""/admin/settings"""

import asyncio
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, brand, say
from trilha.platform.tenants import actions, logos, queries, rules
from trilha.platform.tenants.schema import (
    BrandSettings,
    Colour,
    CompanySettings,
    Logo,
    SecuritySettings,
    TimeZone,
)
from trilha.web.panel.confirm import Button
from trilha.web.panel.view import PanelView

routes = Routes("Settings", "How a company is called, looks, and signs in.")
PATH = "/admin/settings"
_ACCESS = may(Permission.SETTINGS_WRITE)
_ZONES = [(name, name.replace("_", " ")) for name in rules.time_zones()]
say(
    unknown_time_zone=N_("Choose one of the time zones."),
    logo_not_an_image=N_("Choose an image in PNG, JPEG or WebP."),
    logo_too_large=N_("Choose an image of up to 1 MB and 4,000 pixels per side."),
)


class Company(Struct, frozen=True):
    name: Name
    locale: Literal["pt-BR", "en"]
    time_zone: TimeZone


class Appearance(Struct, frozen=True):
    """With `step`, the color is only previewed."""

    brand_colour: Colour
    step: Literal["save", "preview", "reset"] = "save"


class Preview(Struct, frozen=True):
    brand_colour: str = ""


class Upload(Struct, frozen=True):
    logo: UploadedFile | None = None


class Security(Struct, frozen=True):
    password_minimum: Annotated[int, Meta(ge=rules.PASSWORD_MINIMUM, le=rules.MAX_PASSWORD_MINIMUM)]
    second_factor_required: bool = False
    passkeys_allowed: bool = False


@routes.get("/settings", access=_ACCESS)
async def show_company(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show the company's name, language and time zone."""
    begins = asdict(await queries.get(tx))
    return view.form("panel/settings/company.html", refusal, begins, zones=_ZONES)


@routes.post("/settings", access=_ACCESS, max_body=8192, refused=show_company)
async def save_company(tx: Tx, view: PanelView, form: Company) -> Answer:
    await actions.change(tx, CompanySettings(**asdict(form)))
    return view.lead(PATH, N_("The settings were saved."))


@routes.get("/settings/appearance", access=_ACCESS)
async def show_appearance(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show the color and the logo."""
    settings = await queries.get(tx)
    begins = {"brand_colour": settings.brand_colour or brand.DEFAULT}
    if refusal is not None:  # of the other form, the colour was not sent
        refusal = Refusal({**begins, **refusal.values}, refusal.failure)
    return view.form("panel/settings/appearance.html", refusal, begins, settings=settings, previewed=False)


@routes.get("/settings/appearance/preview", access=_ACCESS)
async def preview_colour(view: PanelView, query: Preview) -> Html:
    """Preview a color while it is chosen."""
    colour = query.brand_colour.lower()
    known = brand.HEX.fullmatch(colour) is not None
    return view.show("panel/settings/_preview.html", stylesheet=brand.address(colour) if known else "")


@routes.post("/settings/appearance", access=_ACCESS, max_body=8192, refused=show_appearance)
async def save_colour(tx: Tx, view: PanelView, form: Appearance) -> Answer:
    """Save the color, reset it, or preview it."""
    if form.step == "preview":
        settings = await queries.get(tx)
        view.page = replace(view.page, brand_url=brand.address(form.brand_colour))
        begins = {"brand_colour": form.brand_colour}
        return view.form("panel/settings/appearance.html", None, begins, settings=settings, previewed=True)
    own = form.step == "save" and form.brand_colour != brand.DEFAULT
    await actions.change(tx, BrandSettings(brand_colour=form.brand_colour if own else None))
    return view.lead(f"{PATH}/appearance", N_("The color was saved."))


async def _read_logo(form: Upload, caller: Caller) -> Logo:
    """Reads the file before the transaction. A field without a file arrives as an empty file."""
    if form.logo is None or form.logo.size == 0:
        raise invalid("logo", "required")
    return await asyncio.to_thread(logos.read, form.logo.path, form.logo.size)


@routes.post(
    "/settings/logo",
    access=_ACCESS,
    max_body=logos.MAX_BYTES + 64 * 1024,
    prepare=_read_logo,
    refused=show_appearance,
)
async def save_logo(tx: Tx, view: PanelView, form: Upload, prepared: Logo) -> Answer:
    await actions.set_logo(tx, prepared)
    return view.lead(f"{PATH}/appearance", N_("The logo was saved."))


@routes.post("/settings/logo/remove", access=_ACCESS, max_body=8192)
async def remove_logo(tx: Tx, view: PanelView, form: Button) -> Answer:
    await actions.remove_logo(tx)
    return view.lead(f"{PATH}/appearance", N_("The logo was removed."))


@routes.get("/settings/security", access=_ACCESS)
async def show_security(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show the settings for passwords and two-step verification."""
    settings = await queries.get(tx)
    begins = {
        "password_minimum": settings.password_minimum,
        "second_factor_required": "true" if settings.second_factor_required else "",
        "passkeys_allowed": "true" if settings.passkeys_allowed else "",
    }
    sentences = dict.fromkeys(("out_of_range", "invalid_type"), N_("Enter a number from 8 to 64."))
    return view.form("panel/settings/security.html", refusal, begins, sentences)


@routes.post("/settings/security", access=_ACCESS, max_body=8192, refused=show_security)
async def save_security(tx: Tx, view: PanelView, form: Security) -> Answer:
    await actions.change(tx, SecuritySettings(**asdict(form)))
    return view.lead(f"{PATH}/security", N_("The settings were saved."))
