"""/learn/manifest.webmanifest: with it, a browser installs learners' pages as the company's app."""

from typing import Any

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Database
from trilha.core.secrets import Keyring
from trilha.core.types import to_json
from trilha.core.web.answers import Answer
from trilha.core.web.routes import Routes
from trilha.kit import N_, brand
from trilha.web.learn.offline import icons
from trilha.web.learn.view import HOME, LearnView

routes = Routes("App", "The manifest of learners' app.")
ADDRESS = f"{HOME}/manifest.webmanifest"
_MAX_SHORT_NAME = 12
# The color behind the app while it starts; the page then follows the device's own.
_BACKGROUND = "#ffffff"


@routes.get("/manifest.webmanifest", access=may(Permission.LEARN))
async def get_manifest(view: LearnView, database: Database) -> Answer:
    """Return the manifest of the viewer's company."""
    headers = [(b"content-type", b"application/manifest+json")]
    return Answer(200, to_json(_describe(view, database.keyring)), headers)


def _describe(view: LearnView, keyring: Keyring) -> dict[str, Any]:
    viewer = view.viewer
    color = viewer.brand_colour or brand.DEFAULT
    name = viewer.tenant_name
    return {
        # Companies on the same host are apps of their own.
        "id": f"{HOME}?app={viewer.tenant_slug}",
        "name": name,
        "short_name": name if len(name) <= _MAX_SHORT_NAME else name.split()[0],
        "description": view.say(N_("Courses and certificates of %(company)s"), company=name),
        "lang": view.locale,
        "dir": "ltr",
        "start_url": HOME,
        # With the sign-in, which would open in a browser window otherwise.
        "scope": "/",
        "display": "standalone",
        "background_color": _BACKGROUND,
        "theme_color": color,
        "categories": ["education"],
        "icons": [
            {
                "src": icons.address(keyring, color, viewer.logo_name, size, maskable=maskable),
                "sizes": f"{size}x{size}",
                "type": "image/png",
                "purpose": "maskable" if maskable else "any",
            }
            for maskable in (False, True)
            for size in icons.SIZES
        ],
        "shortcuts": [
            {"name": view.say(N_("My courses")), "url": HOME},
            {"name": view.say(N_("Certificates")), "url": f"{HOME}/certificates"},
        ],
    }
