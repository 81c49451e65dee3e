"""Our scripts and style sheets on the content origin, and the npm packages that they use.

All are below one address that changes with any of them, so that scripts import each other by relative paths
and browsers cache them.
"""

import gzip
import hashlib
from functools import cache
from pathlib import Path

from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer
from trilha.core.web.request import Request
from trilha.core.web.routes import RestOfPath, Routes
from trilha.kit import assets as shared
from trilha.kit import brand
from trilha.training.scorm.package.mime import media_type
from trilha.web.player.content_security_policy import HEADERS
from trilha.web.player.identity import ANYBODY

_HERE = Path(__file__).parent
_MODULES = _HERE / "node_modules"
# Folders or files of packages, by the path they are served at.
PACKAGES: dict[str, Path] = {
    "npm/scorm12.js": _MODULES / "scorm-again/dist/esm/scorm12.min.js",
    "npm/scorm2004.js": _MODULES / "scorm-again/dist/esm/scorm2004.min.js",
    # The build that older browsers run, and the data that some documents need.
    "npm/pdf.js": _MODULES / "pdfjs-dist/legacy/build/pdf.min.mjs",
    "npm/pdf.worker.js": _MODULES / "pdfjs-dist/legacy/build/pdf.worker.min.mjs",
    "npm/pdf.css": _MODULES / "pdfjs-dist/web/pdf_viewer.css",
    "npm/pdf/cmaps": _MODULES / "pdfjs-dist/cmaps",
    "npm/pdf/fonts": _MODULES / "pdfjs-dist/standard_fonts",
    "npm/pdf/wasm": _MODULES / "pdfjs-dist/wasm",
    "npm/pdf/iccs": _MODULES / "pdfjs-dist/iccs",
}
_OWN = (".js", ".css")
_CACHE_HEADERS = {**HEADERS, "cache-control": shared.FOREVER}
routes = Routes("Player's assets", "Scripts and style sheets.")


@routes.get("/assets/{version}/{path}", access=ANYBODY, headers=_CACHE_HEADERS)
async def get_asset(request: Request, version: str, path: RestOfPath) -> Answer:
    """Send a script or style sheet of the frame's pages. Any other version than the present one is 404."""
    asset = files().get(path) if version == _version() else None
    if asset is None:
        raise NotFound("route_not_found")
    return asset.answer(request)


@routes.get("/assets/{name}", access=ANYBODY, headers=_CACHE_HEADERS)
async def get_shared_asset(request: Request, name: str) -> Answer:
    """Send the application's own style sheet or font."""
    if (asset := shared.by_name().get(name)) is None:
        raise NotFound("route_not_found")
    return asset.answer(request)


@routes.get("/brand/{name}", access=ANYBODY, headers=_CACHE_HEADERS)
async def get_brand(name: str) -> Answer:
    """Send the style sheet with a tenant's colors."""
    if (content := brand.find_stylesheet(name)) is None:
        raise NotFound("route_not_found")
    return Answer(200, content, [(b"content-type", b"text/css; charset=utf-8")])


def prefix() -> str:
    """Returns the path of all assets, with a trailing slash."""
    return f"/assets/{_version()}/"


def styles() -> str:
    """Returns the path of the style sheet of all pages."""
    return shared.url("styles")


@cache
def files() -> dict[str, shared.Asset]:
    """Returns the assets by path, without packages that are not installed."""
    paths = {path.relative_to(_HERE).as_posix(): path for path in _own()}
    for name, place in PACKAGES.items():
        if place.is_dir():
            paths |= {f"{name}/{each.relative_to(place).as_posix()}": each for each in _below(place)}
        elif place.exists():
            paths[name] = place
    return {name: _read(name, path) for name, path in sorted(paths.items())}


def _own() -> list[Path]:
    return [each for each in _below(_HERE) if each.suffix in _OWN and _MODULES not in each.parents]


def _below(folder: Path) -> list[Path]:
    return [each for each in sorted(folder.rglob("*")) if each.is_file()]


def _read(name: str, path: Path) -> shared.Asset:
    kind = media_type(name).type
    content = path.read_bytes()
    is_text = kind.startswith("text/")
    packed = gzip.compress(content, 9, mtime=0) if is_text or kind == "application/wasm" else None
    return shared.Asset(name, f"{kind}; charset=utf-8" if is_text else kind, content, packed)


@cache
def _version() -> str:
    digest = hashlib.sha256()
    for name, each in files().items():
        digest.update(f"{name}\0".encode() + hashlib.sha256(each.content).digest())
    return digest.hexdigest()[:16]
