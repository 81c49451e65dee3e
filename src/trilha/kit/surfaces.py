"""The surfaces /assets and /brand, which every page loads, and /preferences for theme and language."""

from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.kit import assets, brand, preferences
from trilha.kit.content_security_policy import HEADERS
from trilha.kit.errors import PageErrors

_CACHE_HEADERS = {"cache-control": assets.FOREVER, "cross-origin-resource-policy": "same-origin"}
files = Routes("Assets", "Style sheet, script, font and icon.")
brands = Routes("Brands", "The colours of tenants.")


@files.get("/{name}", access=PUBLIC, headers=_CACHE_HEADERS)
async def get_asset(request: Request, name: str) -> Answer:
    """Return an asset. A name is never reused for other content."""
    if (asset := assets.by_name().get(name)) is None:
        raise NotFound("route_not_found")
    return asset.answer(request)


@brands.get("/{name}", access=PUBLIC, headers=_CACHE_HEADERS)
async def get_brand(name: str) -> Answer:
    """Return the style sheet of a brand color."""
    if (content := brand.find_stylesheet(name)) is None:
        raise NotFound("route_not_found")
    return Answer(200, content, [(b"content-type", b"text/css; charset=utf-8")])


SURFACES = (
    Surface(name="assets", prefixes=["/assets"], features=[files], https="redirect"),
    Surface(name="brand", prefixes=["/brand"], features=[brands], https="redirect"),
    Surface(
        name="preferences",
        prefixes=["/preferences"],
        features=[preferences.routes],
        errors=PageErrors(),
        media_type="text/html",
        headers=HEADERS,
        https="redirect",
    ),
)
