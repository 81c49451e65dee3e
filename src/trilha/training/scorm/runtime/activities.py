"""The tree of activities of a SCORM 2004 package, in the form that scorm-again takes as `sequencing`."""

from collections.abc import Sequence
from typing import Any

from trilha.training.scorm.package.manifest import Item, Manifest

# Content cannot know an identifier of the organization.
ROOT = "organization"


def sequencing_settings(manifest: Manifest) -> dict[str, Any]:
    tree = {"id": ROOT, "title": manifest.title} | manifest.sequencing
    return {
        "activityTree": tree | {"children": _children(manifest.items)},
        "collections": manifest.collections,
    }


def _children(items: Sequence[Item]) -> list[dict[str, Any]]:
    return [
        {"id": item.identifier, "title": item.title, "isVisible": item.visible}
        | item.sequencing
        | ({"children": _children(item.items)} if item.items else {})
        for item in items
    ]
