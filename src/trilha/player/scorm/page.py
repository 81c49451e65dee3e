"""The page around SCORM content: what the runtime is made with, and where the content begins."""

from collections.abc import Sequence
from typing import Any

from trilha.core.database import Tx
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.schema import LoadedLaunch, LoadedScorm, Module
from trilha.player.frame import LaunchPage
from trilha.player.permissions import devices_of, frame_permissions
from trilha.scorm.package.manifest import Manifest, walk
from trilha.scorm.runtime.activities import sequencing_settings

# Content may lead its own frame anywhere: much of it is a page that loads another server's.
_POLICY = {"frame-src": "*"}


async def make(tx: Tx, opened: LoadedLaunch) -> LaunchPage:
    scorm = opened.scorm
    assert scorm is not None
    modules = await launch_queries.list_modules(tx, opened.course_id) if _is_sequenced(scorm.manifest) else []
    return LaunchPage(
        template="player/scorm/page.html",
        values={
            "address": _address(scorm),
            "allow": frame_permissions(devices_of(opened.module.type, opened.module.content)),
        },
        data={"scorm": _settings(scorm, modules) | {"lenient_get": _is_lenient(opened)}},
        policy=_POLICY,
    )


def _address(scorm: LoadedScorm) -> str:
    """Below the launch's own."""
    assert scorm.item.launch is not None
    return f"p/{scorm.item.launch.url}"


def _settings(scorm: LoadedScorm, modules: Sequence[Module]) -> dict[str, Any]:
    """`modules` are where the other parts of a package with rules are opened, by their identifiers."""
    sequenced = _is_sequenced(scorm.manifest)
    return {
        "version": scorm.manifest.version,
        "sco": scorm.item.sco,
        "item": scorm.item.identifier,
        "cmi": scorm.cmi,
        "sequencing": sequencing_settings(scorm.manifest) if sequenced else None,
        "sequencing_state": scorm.sequencing,
        "modules": {
            content["item"]: str(module.id)
            for module in modules
            if (content := module.content or {}).get("package_id") == str(scorm.package_id)
        },
    }


def _is_lenient(opened: LoadedLaunch) -> bool:
    return (opened.module.content or {}).get("lenient_get") is True


def _is_sequenced(manifest: Manifest) -> bool:
    """Whether rules lead from one part to another; of a single one the runtime needs to know no more."""
    if manifest.version != "2004" or len(list(manifest.launchable())) < 2:
        return False
    return bool(manifest.sequencing or any(item.sequencing for item in walk(manifest.items)))
