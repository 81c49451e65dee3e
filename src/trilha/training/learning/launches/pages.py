"""Loads what the page of a launch shows. A reload continues where the learner left."""

from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound
from trilha.people.users import queries as users
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt, SavedAttempt
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.launches import queries, rules
from trilha.training.learning.launches.schema import Launch, LoadedLaunch, LoadedScorm, Module, ScormContent
from trilha.training.scorm import queries as packages
from trilha.training.scorm.package.manifest import Manifest
from trilha.training.scorm.runtime import resume
from trilha.training.scorm.runtime.mapping import State
from trilha.training.scorm.runtime.resume import Opening


async def load_launch(tx: Tx, launch_id: UUID) -> LoadedLaunch:
    """Loads an existing launch.

    Raises NotFound (module_not_found) if the module was removed since, and Conflict (module_without_content).
    """
    launch, attempt = await queries.get_launch(tx, launch_id)
    head = await evidence_queries.find_head(tx, attempt.enrollment_id)
    assert head is not None
    modules = await queries.list_modules(tx, head.course_id)
    module = next((module for module in modules if module.id == attempt.module_id), None)
    if module is None:
        raise NotFound("module_not_found")
    loaded = await _load_scorm(tx, launch, attempt, module, head.user_id) if attempt.version else None
    return LoadedLaunch(launch, attempt, head.course_id, head.user_id, module, loaded)


async def _load_scorm(tx: Tx, launch: Launch, attempt: Attempt, module: Module, user_id: UUID) -> LoadedScorm:
    content = await get_scorm_content(tx, module, attempt)
    saved = await attempt_queries.get_saved_attempt(tx, attempt.id)
    opening = _decide_opening(content.manifest, launch, saved)
    sequencing = await queries.find_sequencing_state(tx, attempt.enrollment_id, content.package_id)
    return await load_scorm(tx, content, user_id, opening, saved.cmi, saved.seconds, sequencing or "")


def _decide_opening(manifest: Manifest, launch: Launch, saved: SavedAttempt) -> Opening:
    """Stays in the launch's attempt, whatever has happened to it since."""
    if saved.cmi is None:
        return Opening(False, "ab-initio", launch.review)
    attempt = saved.attempt
    before = State(completion="incomplete", success=attempt.success, exit=attempt.exit)
    opening = resume.opening(manifest.version, before, "resume", terminated=attempt.terminated)
    return Opening(False, opening.entry, launch.review)


async def get_scorm_content(tx: Tx, module: Module, attempt: Attempt | None = None) -> ScormContent:
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


async def load_scorm(
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
