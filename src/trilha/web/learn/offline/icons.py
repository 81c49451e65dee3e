"""The surface /app-icons: a company's logo, or our sign in its color, as icons of an app.

An icon's address is derived from what it shows and signed, so that nobody makes us draw others.
"""

import asyncio
import hmac
import re
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw

from trilha.core.database import Database
from trilha.core.errors import NotFound
from trilha.core.secrets import Keyring
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.kit import brand
from trilha.kit.colours import hex_of
from trilha.platform.tenants import unscoped

SIZES = (192, 512)
TOUCH_SIZE = 180  # of iOS
_NAME = re.compile(
    r"([0-9a-f]{16})-([0-9a-f]{6})-([0-9a-f]{32}\.(?:png|jpg)|sign)-(180|192|512)(-maskable)?\.png"
)
_HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "cross-origin",
    "content-security-policy": "default-src 'none'; sandbox",
}
_PROOF = 16
_CORNER = 0.22
# The share of the icon that a logo fills. Devices crop a maskable icon to a circle of 80 %.
_LOGO_SHARE, _MASKABLE_LOGO_SHARE = 0.78, 0.56
_SIGN_SHARE, _MASKABLE_SIGN_SHARE = 1.0, 0.72
_SMOOTH = 4  # drawn larger, and then reduced
routes = Routes("App icons", "Icons of companies' apps.")


def address(keyring: Keyring, color: str, logo_name: str | None, size: int, *, maskable: bool = False) -> str:
    """Returns the path of an icon of this size in pixels."""
    what = f"{color[1:]}-{logo_name or 'sign'}-{size}{'-maskable' if maskable else ''}"
    return f"/app-icons/{_prove(keyring, what)}-{what}.png"


def _prove(keyring: Keyring, what: str) -> str:
    return keyring.mac(b"app icon", what.encode()).hex()[:_PROOF]


@routes.get("/{name}", access=PUBLIC, headers=_HEADERS)
async def get_icon(database: Database, name: str) -> Answer:
    """Return an icon. A name is never reused for another image."""
    match = _NAME.fullmatch(name)
    what = name.removesuffix(".png")[_PROOF + 1 :]
    if match is None or not hmac.compare_digest(match[1], _prove(database.keyring, what)):
        raise NotFound("route_not_found")
    logo = None
    if match[3] != "sign":
        async with database.unscoped() as connection:
            logo = await unscoped.find_logo(connection, match[3])
        if logo is None:
            raise NotFound("route_not_found")
    maskable = match[5] is not None
    content = await asyncio.to_thread(draw, f"#{match[2]}", logo, int(match[4]), maskable=maskable)
    return Answer(200, content, [(b"content-type", b"image/png")])


@lru_cache(64)
def draw(color: str, logo: bytes | None, size: int, *, maskable: bool) -> bytes:
    """Draws an icon as PNG. A logo stands on white, because it may have any color."""
    side = size * _SMOOTH
    background = "#ffffff" if logo else color
    image = Image.new("RGBA", (side, side), background if maskable else "#00000000")
    if not maskable:
        corner = int(side * _CORNER)
        ImageDraw.Draw(image).rounded_rectangle((0, 0, side - 1, side - 1), corner, fill=background)
    if logo is None:
        _draw_sign(image, hex_of(brand.derive(color).on_brand), maskable=maskable)
    image = image.resize((size, size), Image.Resampling.LANCZOS)
    if logo is not None:
        _paste_logo(image, logo, _MASKABLE_LOGO_SHARE if maskable else _LOGO_SHARE)
    written = BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _paste_logo(image: Image.Image, logo: bytes, share: float) -> None:
    with Image.open(BytesIO(logo)) as opened:
        picture = opened.convert("RGBA")
    most = image.width * share
    scale = min(most / picture.width, most / picture.height)
    picture = picture.resize((max(1, round(picture.width * scale)), max(1, round(picture.height * scale))))
    place = ((image.width - picture.width) // 2, (image.height - picture.height) // 2)
    image.alpha_composite(picture, place)


def _draw_sign(image: Image.Image, color: str, *, maskable: bool) -> None:
    """Draws the trail of `icon.svg`, whose side is 32."""
    share = _MASKABLE_SIGN_SHARE if maskable else _SIGN_SHARE
    unit = image.width * share / 32
    offset = image.width * (1 - share) / 2
    width = round(2.6 * unit)
    pen = ImageDraw.Draw(image)

    def at(x: float, y: float) -> tuple[float, float]:
        return offset + x * unit, offset + y * unit

    def arc(x: float, y: float, start: int, end: int) -> None:
        radius = 4 + 1.3
        pen.arc((*at(x - radius, y - radius), *at(x + radius, y + radius)), start, end, color, width)

    for start, end, y in ((9, 18, 23), (14, 18, 15), (14, 23, 7)):
        pen.line((*at(start, y), *at(end, y)), color, width)
    arc(18, 19, -90, 90)
    arc(14, 11, 90, 270)
    for x, y in ((9, 23), (23, 7)):
        pen.ellipse((*at(x - 1.3, y - 1.3), *at(x + 1.3, y + 1.3)), color)


SURFACE = Surface(name="app_icons", prefixes=["/app-icons"], features=[routes], https="redirect")
