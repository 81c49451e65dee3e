"""The model that finds and describes a face in the browser, from an npm package. Only the page of a photo
loads it, and only once its camera is started.
"""

import hashlib
from functools import cache
from pathlib import Path

from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.kit import assets

_PACKAGE = Path(__file__).parent / "node_modules" / "@vladmandic" / "face-api"
_LIBRARY = "face-api.esm.js"
_MODELS = ("tiny_face_detector", "face_landmark_68", "face_recognition")
_TYPES = {".js": "text/javascript; charset=utf-8", ".json": "application/json"}
_HEADERS = {
    "cache-control": assets.FOREVER,
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
PATH = "/face-model"
routes = Routes("Face model", "The library and its weights, which run in the browser.")


@routes.get("/{version}/{name}", access=PUBLIC, headers=_HEADERS)
async def get_file(request: Request, version: str, name: str) -> Answer:
    """Send a file of the model. Any other version than the present one is 404."""
    file = list_files().get(name) if version == get_version() else None
    if file is None:
        raise NotFound("route_not_found")
    return _load(name).answer(request)


@cache
def list_files() -> dict[str, Path]:
    """Returns the files by name; none if the package is not installed."""
    files = [_PACKAGE / "dist" / _LIBRARY]
    for model in _MODELS:
        folder = _PACKAGE / "model"
        files += [folder / f"{model}_model-weights_manifest.json", folder / f"{model}_model.bin"]
    return {each.name: each for each in files if each.exists()}


@cache
def _load(name: str) -> assets.Asset:
    path = list_files()[name]
    media_type = _TYPES.get(path.suffix, "application/octet-stream")
    return assets.make_asset(name, media_type, path.read_bytes(), pack=path.suffix in _TYPES)


@cache
def get_version() -> str:
    """Returns a name that changes with any of the files."""
    sizes = "".join(f"{name}:{path.stat().st_size};" for name, path in sorted(list_files().items()))
    return hashlib.sha256(sizes.encode()).hexdigest()[:12]


def get_folder() -> str:
    """Returns the address of the files, without a trailing slash."""
    return f"{PATH}/{get_version()}"


def get_library() -> str:
    return f"{get_folder()}/{_LIBRARY}"


SURFACE = Surface(name="face_model", prefixes=[PATH], features=[routes], https="redirect")
