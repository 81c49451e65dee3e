"""A module is opened: whether it may be, with what, and the token for it."""

import secrets
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, NotFound
from trilha.core.types import Timestamp
from trilha.enrollments import actions as enrollments
from trilha.enrollments import queries as enrollment_queries
from trilha.enrollments.schema import EnrollmentStatus
from trilha.learning.attempts import queries as attempt_queries
from trilha.learning.attempts import quiz_attempts
from trilha.learning.attempts.schema import Attempt, LastAttempt
from trilha.learning.completion import queries as completion_queries
from trilha.learning.completion import rules as completion_rules
from trilha.learning.evidence import log
from trilha.learning.evidence import queries as evidence_queries
from trilha.learning.evidence.schema import LogHead
from trilha.learning.launches import clock_queries, queries, rules
from trilha.learning.launches.schema import LaunchClient, Module, NewLaunch, ScormLaunch
from trilha.scorm import queries as packages
from trilha.scorm.package.manifest import Item, Manifest
from trilha.scorm.runtime import resume
from trilha.scorm.runtime.mapping import ItemSettings, State
from trilha.scorm.runtime.resume import Opening, Policy
from trilha.users import queries as users

TOKEN_BYTES = 32

_MAX_AGENT = 300


class _PreparedAttempt(Struct, frozen=True):
    attempt: Attempt
    review: bool
    scorm: ScormLaunch | None


async def launch(
    tx: Tx, user_id: UUID, enrollment_id: UUID, module_id: UUID, client: LaunchClient
) -> NewLaunch:
    """Opens a module for the person whose enrollment it is; an earlier launch of the module is superseded.

    Raises NotFound (enrollment_not_found, module_not_found), Conflict (enrollment_expired,
    module_without_content) and BusinessRule (module_locked, with the modules that come first).
    """
    enrollment = await enrollment_queries.get(tx, enrollment_id)
    if enrollment.user_id != user_id:
        raise NotFound("enrollment_not_found")
    head = await evidence_queries.lock_head(tx, enrollment_id)
    enrollment = await enrollment_queries.get(tx, enrollment_id)  # as it is under the lock
    if enrollment.status == EnrollmentStatus.EXPIRED:
        raise Conflict("enrollment_expired")
    module = await _get_module(tx, head.course_id, enrollment_id, module_id)
    prepared = await _prepare_attempt(tx, head, module)
    await enrollments.start(tx, enrollment_id)
    return await _insert_launch(tx, head, module, prepared, client)


async def check_launch(tx: Tx, user_id: UUID, enrollment_id: UUID, module_id: UUID) -> None:
    """Raises what `launch` would raise now, and changes nothing."""
    enrollment = await enrollment_queries.get(tx, enrollment_id)
    if enrollment.user_id != user_id:
        raise NotFound("enrollment_not_found")
    if enrollment.status == EnrollmentStatus.EXPIRED:
        raise Conflict("enrollment_expired")
    module = await _get_module(tx, enrollment.course_id, enrollment_id, module_id)
    if module.type == "SCORM":
        await get_scorm_content(tx, module, None)
    elif module.type == "QUIZ":
        await quiz_attempts.check_quiz(tx, enrollment_id, module_id)
    else:
        _get_file_settings(module)


async def _get_module(tx: Tx, course_id: UUID, enrollment_id: UUID, module_id: UUID) -> Module:
    modules = await queries.list_modules(tx, course_id)
    module = next((each for each in modules if each.id == module_id), None)
    if module is None:
        raise NotFound("module_not_found")
    course = await completion_queries.get_requirements(tx, course_id)
    progress = await completion_queries.list_progress(tx, enrollment_id)
    if missing := completion_rules.list_locking_modules(course, progress, module_id):
        raise BusinessRule("module_locked", modules=[str(each) for each in missing])
    return module


async def _insert_launch(
    tx: Tx, head: LogHead, module: Module, prepared: _PreparedAttempt, client: LaunchClient
) -> NewLaunch:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    attempt = prepared.attempt
    client = structs.replace(client, agent=client.agent[:_MAX_AGENT])
    fingerprint = tx.keyring.fingerprint(token)
    launch_id = await queries.insert_launch(tx, attempt, fingerprint, client, review=prepared.review)
    await completion_queries.start_module(tx, head.enrollment_id, module.id)
    await clock_queries.lock_clock(tx, head.user_id)
    await clock_queries.set_credited_until(tx, head.user_id, launch_id)
    # Where from and with what is on the launch alone: it goes with an erasure, and the log cannot be changed.
    await log.append(
        tx,
        head,
        "launched",
        launch_id,
        module=module.id,
        attempt=attempt.number,
        package=attempt.package_id,
        review=prepared.review,
        at=Timestamp.of(tx.now),
    )
    return NewLaunch(launch_id, token, attempt.number, module.type, prepared.review, prepared.scorm)


async def _prepare_attempt(tx: Tx, head: LogHead, module: Module) -> _PreparedAttempt:
    last = await attempt_queries.find_last_attempt(tx, head.enrollment_id, module.id)
    if module.type == "SCORM":
        return await _prepare_scorm(tx, head, module, last)
    if module.type == "QUIZ":
        return _PreparedAttempt(await quiz_attempts.continue_or_begin(tx, head, module.id, last), False, None)
    settings = _get_file_settings(module)
    attempt = (
        last.attempt
        if last
        else await attempt_queries.insert_attempt(tx, head.enrollment_id, module.id, 1, settings=settings)
    )
    return _PreparedAttempt(attempt, head.status == EnrollmentStatus.COMPLETED, None)


def _get_file_settings(module: Module) -> dict[str, Any]:
    """What an attempt at a module stays with that is no package. Raises Conflict (module_without_content)."""
    if module.type not in ("VIDEO", "DOCUMENT"):
        return {}
    if not (module.content or {}).get("file_id"):
        raise Conflict("module_without_content")
    return {"file_id": (module.content or {})["file_id"]}


async def _prepare_scorm(tx: Tx, head: LogHead, module: Module, last: LastAttempt | None) -> _PreparedAttempt:
    manifest, item, package_id = await get_scorm_content(tx, module, None)
    course = await completion_queries.get_requirements(tx, head.course_id)
    progress = await completion_queries.list_progress(tx, head.enrollment_id)
    better = completion_rules.needs_better_score(course, progress, module.id)
    opened = _decide_opening(manifest, last, better=better)
    if opened.new_attempt or last is None:
        attempt = await attempt_queries.insert_attempt(
            tx,
            head.enrollment_id,
            module.id,
            last.attempt.number + 1 if last else 1,
            package_id=package_id,
            item=item.identifier,
            version=manifest.version,
            settings=msgspec.to_builtins(ItemSettings.of(item)),
        )
        cmi, seconds = None, 0.0
    else:
        # An attempt stays with the package that it began with.
        attempt, cmi, seconds = last.attempt, last.cmi, last.seconds
        manifest, item, package_id = await get_scorm_content(tx, module, attempt)
    learner = rules.build_learner(await users.get(tx, head.user_id))
    given = resume.launch_cmi(manifest.version, item, learner, opened, cmi, seconds)
    scorm = ScormLaunch(package_id, item.identifier, manifest.version, given)
    return _PreparedAttempt(attempt, opened.review, scorm)


def _decide_opening(manifest: Manifest, last: LastAttempt | None, *, better: bool) -> Opening:
    """What was failed, or must be done `better` for the course, is begun anew: opened for review, it could
    never be."""
    if last is None:
        return resume.opening(manifest.version, None, "resume", terminated=False)
    attempt = last.attempt
    failed = attempt.completion == "completed" and attempt.success == "failed"
    again = failed or (better and attempt.completion == "completed")
    policy: Policy = "new_attempt" if again else "resume"
    before = State(completion=attempt.completion, success=attempt.success, exit=attempt.exit)
    version = attempt.version or manifest.version
    return resume.opening(version, before, policy, terminated=attempt.terminated)


async def get_scorm_content(tx: Tx, module: Module, attempt: Attempt | None) -> tuple[Manifest, Item, UUID]:
    """Of the attempt, or of the module as it is now. Raises Conflict (module_without_content)."""
    content: dict[str, Any] = module.content or {}
    package = content.get("package_id") if attempt is None else attempt.package_id
    identifier = content.get("item") if attempt is None else attempt.item
    if package is None:
        raise Conflict("module_without_content")
    package_id = UUID(str(package))
    manifest = await packages.find_manifest(tx, package_id)
    parts = list(manifest.launchable()) if manifest else []
    item = next((each for each in parts if each.identifier == identifier), None)
    if manifest is None or item is None:
        raise Conflict("module_without_content")
    return manifest, item, package_id
