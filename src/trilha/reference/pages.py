"""The description as JSON, and Swagger UI to read it with, served from here alone."""

import hashlib
from functools import cache
from pathlib import Path

from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html, Json, Text
from trilha.core.web.callers import PUBLIC
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface

_FOLDER = Path(__file__).parent
_READER = _FOLDER / "node_modules/swagger-ui-dist"
_MISSING = "The reader is not installed. Run `make setup`; the description itself is at /openapi.json.\n"
# Nothing is loaded from elsewhere; the reader sets styles on its elements.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)
_ASSETS = {
    "start.js": (_FOLDER / "start.js", "text/javascript"),
    "page.css": (_FOLDER / "page.css", "text/css"),
    "reader.js": (_READER / "swagger-ui-bundle.js", "text/javascript"),
    "reader.css": (_READER / "swagger-ui.css", "text/css"),
}


def surfaces(descriptions: dict[str, bytes]) -> list[Surface]:
    """The page at /docs, and each description at its address."""
    return [
        Surface(name="docs", prefixes=["/docs"], features=[pages], https="redirect"),
        *(_description(address, content) for address, content in descriptions.items()),
    ]


pages = Routes("Reference", "The API reference, for people.")


@pages.get("", access=PUBLIC, headers={"content-security-policy": _POLICY})
async def show_reference() -> Html:
    """Show the description of /v1."""
    return Html((_FOLDER / "page.html").read_bytes())


@pages.get("/{asset}", access=PUBLIC, headers={"cache-control": "public, max-age=3600"})
async def get_asset(asset: str) -> Answer:
    """What the page loads."""
    if asset not in _ASSETS:
        raise NotFound("route_not_found")
    file, media_type = _ASSETS[asset]
    content = _read(file)
    if content is None:
        return Text(_MISSING, 503)
    return Answer(200, content, [(b"content-type", media_type.encode())])


@cache
def _read(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def _description(address: str, content: bytes) -> Surface:
    routes = Routes("Description", "The API in OpenAPI's words, for machines.")
    etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'

    @routes.get("", access=PUBLIC)
    async def get_description() -> Json:
        """Describe the surface in OpenAPI 3.1."""
        return Json(content, headers={"etag": etag})

    return Surface(name="openapi", prefixes=[address], features=[routes], https="redirect")
