"""Finds the SCORM content of a launch, and builds what its runtime starts with."""

from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.learning.attempts.schema import Attempt
from trilha.learning.launches import rules
from trilha.learning.launches.schema import LoadedScorm, Module, ScormContent
from trilha.scorm import queries as packages
from trilha.scorm.runtime import resume
from trilha.scorm.runtime.resume import Opening
from trilha.users import queries as users


async def get_content(tx: Tx, module: Module, attempt: Attempt | None = None) -> ScormContent:
    """Returns the content of an attempt, or without one the content that the module shows now.

    Raises Conflict (module_without_content).
    """
    content: dict[str, Any] = module.content or {}
    package = content.get("package_id") if attempt is None else attempt.package_id
    identifier = content.get("item") if attempt is None else attempt.item
    if package is None:
        raise Conflict("module_without_content")
    package_id = UUID(str(package))
    manifest = await packages.find_manifest(tx, package_id)
    items = list(manifest.launchable()) if manifest else []
    item = next((item for item in items if item.identifier == identifier), None)
    if manifest is None or item is None:
        raise Conflict("module_without_content")
    return ScormContent(package_id, manifest, item)


async def load(
    tx: Tx,
    content: ScormContent,
    user_id: UUID,
    opening: Opening,
    cmi: dict[str, Any] | None = None,
    seconds: float = 0.0,
    sequencing: str = "",
) -> LoadedScorm:
    """Builds what the runtime starts with from the saved `cmi` and the seconds that are credited so far."""
    learner = rules.build_learner(await users.get(tx, user_id))
    given = resume.launch_cmi(content.manifest.version, content.item, learner, opening, cmi, seconds)
    return LoadedScorm(content.package_id, content.manifest, content.item, given, sequencing)
