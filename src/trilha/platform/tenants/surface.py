"""The surface /logos, with the images of companies at addresses derived from their content."""

import re

from trilha.core.database import Database
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.platform.tenants import unscoped

_NAME = re.compile(r"[0-9a-f]{32}\.(png|jpg)")
_TYPES = {"png": b"image/png", "jpg": b"image/jpeg"}
_HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "same-origin",
    # Opened as a page of its own, an image can run nothing.
    "content-security-policy": "default-src 'none'; sandbox",
}
routes = Routes("Logos", "Companies' logos.")


@routes.get("/{name}", access=PUBLIC, headers=_HEADERS)
async def get_logo(database: Database, name: str) -> Answer:
    """Return a logo. A name is never reused for another image."""
    content = None
    if _NAME.fullmatch(name):
        async with database.unscoped() as connection:
            content = await unscoped.find_logo(connection, name)
    if content is None:
        raise NotFound("route_not_found")
    return Answer(200, content, [(b"content-type", _TYPES[name[-3:]])])


SURFACE = Surface(name="logos", prefixes=["/logos"], features=[routes], https="redirect")
