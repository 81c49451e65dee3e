"""The page of a document."""

from trilha.core.database import Tx
from trilha.training.learning.launches.schema import LoadedLaunch
from trilha.training.learning.studies import materials
from trilha.training.learning.studies.rules import PAGE_SECONDS
from trilha.training.learning.studies.schema import DocumentProgress
from trilha.web.player.frame import LaunchPage

# Some documents have images that are decoded by WebAssembly.
_POLICY = {"script-src": "'self' 'wasm-unsafe-eval'"}


async def make(tx: Tx, opened: LoadedLaunch) -> LaunchPage:
    material = await materials.get_material(tx, opened.attempt)
    document = materials.read_progress(material, DocumentProgress)
    file_id = opened.attempt.settings.get("file_id", "")
    return LaunchPage(
        template="player/document/page.html",
        policy=_POLICY,
        data={
            "document": {
                "source": f"media/{file_id}",
                "pages": {str(number): seconds for number, seconds in document.pages.items()},
                "position": document.position,
                "count": material.pages or document.count,
                "seconds": PAGE_SECONDS,
                "completed": opened.attempt.completion == "completed",
                "progress": opened.attempt.progress,
            }
        },
    )
