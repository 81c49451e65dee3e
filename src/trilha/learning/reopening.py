"""What a launch is made with whenever its page is loaded: anew after a reload, as it was left."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.courses.schema import ModuleType
from trilha.learning import attempt_queries, launch_queries, queries, rules
from trilha.learning.attempt_queries import LastAttempt
from trilha.learning.launching import material
from trilha.learning.schema import Attempt, Launch, Module
from trilha.scorm.package.manifest import Item, Manifest
from trilha.scorm.runtime import resume
from trilha.scorm.runtime.mapping import State
from trilha.scorm.runtime.resume import Opening
from trilha.users import queries as users


class OpenedScorm(Struct, frozen=True):
    """`cmi` is what the runtime loads before content initialises it. `sequencing` is the state that it left,
    as JSON; empty where there is none."""

    package_id: UUID
    manifest: Manifest
    item: Item
    cmi: dict[str, Any]
    sequencing: str


class Opened(Struct, frozen=True):
    """A launch that is there. `locale` is the person's own, else the tenant's."""

    launch: Launch
    attempt: Attempt
    enrollment_id: UUID
    course_id: UUID
    user_id: UUID
    module: Module
    module_type: ModuleType
    scorm: OpenedScorm | None


async def get_opened(tx: Tx, launch_id: UUID) -> Opened:
    """Of a launch that is there. Raises NotFound (module_not_found) where the module was removed meanwhile,
    and Conflict (module_without_content)."""
    launch, attempt = await attempt_queries.get_launch(tx, launch_id)
    head = await queries.find_head(tx, attempt.enrollment_id)
    assert head is not None
    modules = await queries.list_modules(tx, head.course_id)
    module = next((each for each in modules if each.id == attempt.module_id), None)
    if module is None:
        raise NotFound("module_not_found")
    return Opened(
        launch,
        attempt,
        attempt.enrollment_id,
        head.course_id,
        head.user_id,
        module,
        module.type,
        await _scorm(tx, launch, attempt, module, head.user_id) if attempt.version else None,
    )


async def _scorm(tx: Tx, launch: Launch, attempt: Attempt, module: Module, user_id: UUID) -> OpenedScorm:
    manifest, item, package_id = await material(tx, module, attempt)
    left = await launch_queries.get_attempt_as_left(tx, launch.id)
    learner = rules.learner_of(await users.get(tx, user_id))
    opening = _opening(manifest, launch, left)
    given = resume.launch_cmi(manifest.version, item, learner, opening, left.cmi, left.seconds)
    state = await launch_queries.find_sequencing(tx, attempt.enrollment_id, package_id)
    return OpenedScorm(package_id, manifest, item, given, state or "")


def _opening(manifest: Manifest, launch: Launch, left: LastAttempt) -> Opening:
    """In the attempt of the launch, whatever has become of it since."""
    if left.cmi is None:
        return Opening(False, "ab-initio", launch.review)
    attempt = left.attempt
    before = State(completion="incomplete", success=attempt.success, exit=attempt.exit)
    opened = resume.opening(manifest.version, before, "resume", terminated=attempt.terminated)
    return Opening(False, opened.entry, launch.review)
