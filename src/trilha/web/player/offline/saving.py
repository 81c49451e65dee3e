"""Decides what a browser saves of a module, so that it opens without a connection."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from trilha.core.database import Tx
from trilha.kit import Page
from trilha.kit import assets as shared
from trilha.training.courses import module_queries
from trilha.training.courses.schema import ModuleType
from trilha.training.learning.launches.schema import LoadedLaunch
from trilha.training.learning.quizzes.offline import find_obstacle
from trilha.training.learning.studies import materials
from trilha.web.player import assets

TYPES: Sequence[ModuleType] = ("ARTICLE", "DOCUMENT", "VIDEO", "QUIZ")
_PDF = ("npm/pdf.js", "npm/pdf.worker.js", "npm/pdf.css", "npm/pdf/fonts/", "npm/pdf/wasm/")


async def describe(tx: Tx, opened: LoadedLaunch, page: Page) -> Mapping[str, Any] | None:
    """Returns what the page's script saves; None if the module needs a connection.

    Videos are large, so that they are saved only if the learner asks for it (`automatic` is false).
    """
    module = opened.module
    if module.type not in TYPES or (module.type == "QUIZ" and await find_obstacle(tx, module.id)):
        return None
    files = await module_queries.list_media(tx, list(await materials.list_file_ids(tx, opened.launch.id)))
    return {
        "automatic": module.type != "VIDEO",
        "assets": [*_list_assets(module.type), *([page.brand_url] if page.brand_url else [])],
        "media": [{"id": str(each.id), "bytes": each.size} for each in files],
    }


@cache
def _list_assets(type: ModuleType) -> Sequence[str]:
    """Returns the addresses of the scripts, styles and fonts that the page of such a module loads."""
    packages = _PDF if type == "DOCUMENT" else ()
    beginnings = ("scripts/", "offline/store", f"{type.lower()}/", "frame.css", *packages)
    own = [assets.prefix() + name for name in assets.files() if name.startswith(beginnings)]
    return [*own, *filter(None, (assets.styles(), shared.url("font")))]
