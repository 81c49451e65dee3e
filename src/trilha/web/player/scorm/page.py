"""The page around SCORM content: the runtime's settings, and the content's start address."""

from collections.abc import Sequence
from typing import Any

from trilha.core.database import Tx
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.schema import LoadedLaunch, LoadedScorm, Module
from trilha.training.scorm.package.manifest import Manifest, walk
from trilha.training.scorm.runtime.activities import sequencing_settings
from trilha.web.player.frame import LaunchPage
from trilha.web.player.permissions_policy import devices_of, frame_permissions

# Content may load any site in its frame: much of it is only a page that frames another server's.
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
    """Returns the content's address, relative to the launch's."""
    assert scorm.item.launch is not None
    return f"p/{scorm.item.launch.url}"


def _settings(scorm: LoadedScorm, modules: Sequence[Module]) -> dict[str, Any]:
    """Returns the runtime's settings. `modules` are those of the package's other parts."""
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
    """Whether the package has several parts with sequencing rules."""
    if manifest.version != "2004" or len(list(manifest.launchable())) < 2:
        return False
    return bool(manifest.sequencing or any(item.sequencing for item in walk(manifest.items)))
