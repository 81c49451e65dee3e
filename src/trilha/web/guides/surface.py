"""/guides: the pictures in the guides. Their names change with their content."""

from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.kit.assets import FOREVER
from trilha.web.guides import texts

_HEADERS = {"cache-control": FOREVER, "cross-origin-resource-policy": "same-origin"}
routes = Routes("Guides", "The pictures in the guides.")


@routes.get("/{name}", access=PUBLIC, headers=_HEADERS)
async def get_picture(request: Request, name: str) -> Answer:
    """Send a picture. Its name depends on its content, so it may be cached forever."""
    if (picture := texts.pictures_by_name().get(name)) is None:
        raise NotFound("route_not_found")
    return picture.answer(request)


SURFACE = Surface(name="guides", prefixes=[texts.PICTURES], features=[routes], https="redirect")
