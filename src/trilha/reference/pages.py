"""The description as JSON, and Swagger UI to read it with, served from here alone."""

import hashlib
from functools import cache
from pathlib import Path

from litestar import Response
from litestar.handlers import HTTPRouteHandler

_FOLDER = Path(__file__).parent
_READER = _FOLDER / "node_modules/swagger-ui-dist"
_MISSING = b"The reader is not installed. Run `make setup`; the description itself is at /openapi.json.\n"
# Nothing is loaded from elsewhere; the reader sets styles on its elements.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)
_ASSETS = {
    "/docs/start.js": (_FOLDER / "start.js", "text/javascript"),
    "/docs/page.css": (_FOLDER / "page.css", "text/css"),
    "/docs/reader.js": (_READER / "swagger-ui-bundle.js", "text/javascript"),
    "/docs/reader.css": (_READER / "swagger-ui.css", "text/css"),
}


def handlers(description: bytes) -> list[HTTPRouteHandler]:
    etag = f'"{hashlib.sha256(description).hexdigest()[:16]}"'

    async def openapi_json() -> Response[bytes]:
        return Response(description, media_type="application/json", headers={"etag": etag})

    async def docs() -> Response[bytes]:
        page = (_FOLDER / "page.html").read_bytes()
        return Response(page, media_type="text/html", headers={"content-security-policy": _POLICY})

    return [
        HTTPRouteHandler("/openapi.json", http_method=["GET"], include_in_schema=False)(openapi_json),
        HTTPRouteHandler("/docs", http_method=["GET"], include_in_schema=False)(docs),
        *(_asset(path, file, media_type) for path, (file, media_type) in _ASSETS.items()),
    ]


@cache
def _read(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def _asset(path: str, file: Path, media_type: str) -> HTTPRouteHandler:
    async def serve() -> Response[bytes]:
        content = _read(file)
        if content is None:
            return Response(_MISSING, status_code=503, media_type="text/plain")
        headers = {"cache-control": "public, max-age=3600"}
        return Response(content, media_type=media_type, headers=headers)

    return HTTPRouteHandler(path, http_method=["GET"], include_in_schema=False)(serve)
