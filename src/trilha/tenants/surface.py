"""/logos: the images of companies, at addresses made of what they show."""

import re

from trilha.core.database import Database
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.tenants import unscoped

_NAME = re.compile(r"[0-9a-f]{32}\.(png|jpg)")
_TYPES = {"png": b"image/png", "jpg": b"image/jpeg"}
_HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "same-origin",
    # Opened as a page of its own it may do nothing.
    "content-security-policy": "default-src 'none'; sandbox",
}
routes = Routes("Logos", "Companies' logos.")


@routes.get("/{name}", access=PUBLIC, headers=_HEADERS)
async def get_logo(database: Database, name: str) -> Answer:
    """A logo. A name is never used again for another image."""
    content = None
    if _NAME.fullmatch(name):
        async with database.unscoped() as asked:
            content = await unscoped.find_logo(asked, name)
    if content is None:
        raise NotFound("route_not_found")
    return Answer(200, content, [(b"content-type", _TYPES[name[-3:]])])


SURFACE = Surface(name="logos", prefixes=["/logos"], features=[routes], https="redirect")
