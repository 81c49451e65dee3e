"""The page of a video."""

from typing import Any

from trilha.core.database import Tx
from trilha.training.learning.launches.schema import LoadedLaunch
from trilha.training.learning.studies import materials
from trilha.training.learning.studies.rules import FASTEST, WATCHED_SHARE
from trilha.training.learning.studies.schema import VideoProgress
from trilha.web.player.frame import LaunchPage

# The names of captions in the browser's menu: each language in its own words.
_LANGUAGES = {
    "pt-BR": "Português (Brasil)",
    "pt": "Português",
    "en": "English",
    "es": "Español",
    "fr": "Français",
    "de": "Deutsch",
    "it": "Italiano",
}


async def make(tx: Tx, opened: LoadedLaunch) -> LaunchPage:
    material = await materials.get_material(tx, opened.attempt)
    video = materials.read_progress(material, VideoProgress)
    file_id = opened.attempt.settings.get("file_id", "")
    return LaunchPage(
        template="player/video/page.html",
        values={"source": f"media/{file_id}", "captions": _captions(opened, file_id)},
        data={
            "video": {
                "ranges": video.ranges,
                "position": video.position,
                "length": material.seconds or video.length,
                "needed": WATCHED_SHARE,
                "fastest": FASTEST,
                "completed": opened.attempt.completion == "completed",
                "progress": opened.attempt.progress,
            }
        },
    )


def _captions(opened: LoadedLaunch, file_id: str) -> list[dict[str, Any]]:
    """Returns the captions, or none if the module has another video by now."""
    content = opened.module.content or {}
    if content.get("file_id") != file_id:
        return []
    return [
        {
            "source": f"media/{each['file_id']}",
            "language": each["language"],
            "label": _LANGUAGES.get(each["language"], each["language"]),
        }
        for each in content.get("captions", ())
    ]
