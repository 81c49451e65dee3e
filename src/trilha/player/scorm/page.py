"""The page around SCORM content: what the runtime is made with, and where the content begins."""

from typing import Any

from trilha.core.database import Tx
from trilha.learning.reopening import Opened, OpenedScorm
from trilha.player.frame import LaunchPage

# Content may lead its own frame anywhere: much of it is a page that loads another server's.
_POLICY = {"frame-src": "*"}


async def make(tx: Tx, opened: Opened) -> LaunchPage:
    scorm = opened.scorm
    assert scorm is not None
    return LaunchPage(
        template="player/scorm/page.html",
        values={"address": _address(scorm)},
        data={"scorm": _settings(scorm)},
        policy=_POLICY,
    )


def _address(scorm: OpenedScorm) -> str:
    """Below the launch's own."""
    assert scorm.item.launch is not None
    return f"p/{scorm.item.launch.url}"


def _settings(scorm: OpenedScorm) -> dict[str, Any]:
    return {
        "version": scorm.manifest.version,
        "sco": scorm.item.sco,
        "item": scorm.item.identifier,
        "cmi": scorm.cmi,
        "sequencing": None,
    }
