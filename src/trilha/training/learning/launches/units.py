"""Loads the assignable unit of a module, and begins attempts at it."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt, SavedAttempt
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.launches.schema import LoadedUnit, Module
from trilha.training.scorm import queries as packages


async def load_unit(tx: Tx, module: Module, attempt: Attempt | None = None) -> LoadedUnit:
    """Returns the unit of an attempt, or without one that which the module shows now.

    Raises Conflict (module_without_content).
    """
    content = module.content or {}
    package = attempt.package_id if attempt else content.get("package_id")
    identifier = attempt.item if attempt else content.get("item")
    if package is None:
        raise Conflict("module_without_content")
    package_id = UUID(str(package))
    manifest = await packages.find_manifest(tx, package_id)
    items = list(manifest.launchable()) if manifest else []
    item = next((each for each in items if each.identifier == identifier), None)
    if manifest is None or item is None or item.unit is None:
        raise Conflict("module_without_content")
    return LoadedUnit(package_id, manifest, item, item.unit)


async def prepare_attempt(
    tx: Tx, head: LogHead, module: Module, last: SavedAttempt | None
) -> tuple[Attempt, bool]:
    """Returns the attempt that a launch continues, and whether it only reviews it. There is one attempt for
    an enrollment: its sessions are in the same registration.
    """
    review = head.status == EnrollmentStatus.COMPLETED
    loaded = await load_unit(tx, module, last.attempt if last else None)
    if last is not None:
        return last.attempt, review
    attempt = await attempt_queries.insert_attempt(
        tx,
        head.enrollment_id,
        module.id,
        1,
        package_id=loaded.package_id,
        item=loaded.item.identifier,
        settings={},
    )
    return attempt, review
