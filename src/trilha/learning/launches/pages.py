"""What a launch is made with whenever its page is loaded: anew after a reload, as it was left."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.learning.attempts.schema import Attempt, LastAttempt
from trilha.learning.evidence import queries as evidence_queries
from trilha.learning.launches import queries, rules
from trilha.learning.launches.actions import get_scorm_content
from trilha.learning.launches.schema import Launch, LoadedLaunch, LoadedScorm, Module
from trilha.scorm.package.manifest import Manifest
from trilha.scorm.runtime import resume
from trilha.scorm.runtime.mapping import State
from trilha.scorm.runtime.resume import Opening
from trilha.users import queries as users


async def load_launch(tx: Tx, launch_id: UUID) -> LoadedLaunch:
    """Of a launch that is there. Raises NotFound (module_not_found) where the module was removed meanwhile,
    and Conflict (module_without_content)."""
    launch, attempt = await queries.get_launch(tx, launch_id)
    head = await evidence_queries.find_head(tx, attempt.enrollment_id)
    assert head is not None
    modules = await queries.list_modules(tx, head.course_id)
    module = next((each for each in modules if each.id == attempt.module_id), None)
    if module is None:
        raise NotFound("module_not_found")
    return LoadedLaunch(
        launch,
        attempt,
        attempt.enrollment_id,
        head.course_id,
        head.user_id,
        module,
        module.type,
        await _load_scorm(tx, launch, attempt, module, head.user_id) if attempt.version else None,
    )


async def _load_scorm(tx: Tx, launch: Launch, attempt: Attempt, module: Module, user_id: UUID) -> LoadedScorm:
    manifest, item, package_id = await get_scorm_content(tx, module, attempt)
    left = await queries.get_attempt_with_cmi(tx, launch.id)
    learner = rules.build_learner(await users.get(tx, user_id))
    opening = _decide_opening(manifest, launch, left)
    given = resume.launch_cmi(manifest.version, item, learner, opening, left.cmi, left.seconds)
    state = await queries.find_sequencing_state(tx, attempt.enrollment_id, package_id)
    return LoadedScorm(package_id, manifest, item, given, state or "")


def _decide_opening(manifest: Manifest, launch: Launch, left: LastAttempt) -> Opening:
    """In the attempt of the launch, whatever has become of it since."""
    if left.cmi is None:
        return Opening(False, "ab-initio", launch.review)
    attempt = left.attempt
    before = State(completion="incomplete", success=attempt.success, exit=attempt.exit)
    opened = resume.opening(manifest.version, before, "resume", terminated=attempt.terminated)
    return Opening(False, opened.entry, launch.review)
