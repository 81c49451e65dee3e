"""Opens a module: checks that the learner may, prepares the attempt, and makes the launch."""

import secrets
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, NotFound
from trilha.core.types import Timestamp
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments import queries as enrollment_queries
from trilha.training.enrollments.schema import Enrollment, EnrollmentStatus
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts import quiz_attempts
from trilha.training.learning.attempts.schema import Attempt, SavedAttempt
from trilha.training.learning.completion import queries as completion_queries
from trilha.training.learning.completion import rules as completion_rules
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.launches import pages, queries, units
from trilha.training.learning.launches.schema import LaunchClient, Module, NewLaunch
from trilha.training.scorm.package.manifest import Manifest
from trilha.training.scorm.runtime import resume
from trilha.training.scorm.runtime.mapping import ItemSettings, State
from trilha.training.scorm.runtime.resume import Opening, Policy

TOKEN_BYTES = 32
_MAX_AGENT = 300


async def launch(
    tx: Tx, user_id: UUID, enrollment_id: UUID, module_id: UUID, client: LaunchClient
) -> NewLaunch:
    """Opens a module for the owner of the enrollment, and supersedes earlier launches of the module.

    Raises NotFound (enrollment_not_found, module_not_found), Conflict (enrollment_expired,
    module_without_content) and BusinessRule (module_locked, with the modules to complete first).
    """
    await _get_enrollment(tx, user_id, enrollment_id)
    head = await evidence_queries.lock_head(tx, enrollment_id)
    _check_not_expired(await _get_enrollment(tx, user_id, enrollment_id))  # Read it again under the lock.
    module = await _get_module(tx, head.course_id, enrollment_id, module_id)
    attempt, review = await _prepare_attempt(tx, head, module)
    await enrollments.start(tx, enrollment_id)
    return await _make_launch(tx, head, module, attempt, client, review=review)


async def check_launch(tx: Tx, user_id: UUID, enrollment_id: UUID, module_id: UUID) -> None:
    """Raises what `launch` would raise now, and changes nothing."""
    enrollment = await _get_enrollment(tx, user_id, enrollment_id)
    _check_not_expired(enrollment)
    module = await _get_module(tx, enrollment.course_id, enrollment_id, module_id)
    if module.type == "SCORM":
        await pages.get_scorm_content(tx, module)
    elif module.type == "CMI5":
        await units.load_unit(tx, module)
    elif module.type == "QUIZ":
        await quiz_attempts.check_quiz(tx, enrollment_id, module_id)
    else:
        get_file_settings(module)


async def _get_enrollment(tx: Tx, user_id: UUID, enrollment_id: UUID) -> Enrollment:
    enrollment = await enrollment_queries.get(tx, enrollment_id)
    if enrollment.user_id != user_id:
        raise NotFound("enrollment_not_found")
    return enrollment


def _check_not_expired(enrollment: Enrollment) -> None:
    if enrollment.status == EnrollmentStatus.EXPIRED:
        raise Conflict("enrollment_expired")


async def _get_module(tx: Tx, course_id: UUID, enrollment_id: UUID, module_id: UUID) -> Module:
    """Returns an unlocked module of the course. Raises NotFound and BusinessRule (module_locked)."""
    modules = await queries.list_modules(tx, course_id)
    module = next((module for module in modules if module.id == module_id), None)
    if module is None:
        raise NotFound("module_not_found")
    if module.type in ("CLASS", "PRACTICE"):
        raise Conflict("module_without_content")
    progress = await completion_queries.get_course_progress(tx, enrollment_id, course_id)
    if locking := completion_rules.list_locking_modules(progress.course, progress.modules, module_id):
        raise BusinessRule("module_locked", modules=[str(id) for id in locking])
    return module


async def _make_launch(
    tx: Tx, head: LogHead, module: Module, attempt: Attempt, client: LaunchClient, *, review: bool
) -> NewLaunch:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    client = structs.replace(client, agent=client.agent[:_MAX_AGENT])
    fingerprint = tx.keyring.fingerprint(token)
    launch_id = await queries.insert_launch(tx, attempt, fingerprint, client, review=review)
    await completion_queries.start_module(tx, head.enrollment_id, module.id)
    time_zone = await queries.get_time_zone(tx)
    await queries.lock_clock(tx, head.user_id)
    # Only the launch holds the address and the browser: an erasure removes them, and the log cannot change.
    await log.append(
        tx,
        head,
        "launched",
        launch_id,
        [queries.credit_until_now(head.user_id, launch_id, time_zone)],
        module=module.id,
        attempt=attempt.number,
        package=attempt.package_id,
        review=review,
        at=Timestamp.of(tx.now),
    )
    return NewLaunch(launch_id, token, attempt.number, module.type, review)


async def _prepare_attempt(tx: Tx, head: LogHead, module: Module) -> tuple[Attempt, bool]:
    """Returns the attempt that the launch continues or begins, and whether it only reviews it."""
    last = await attempt_queries.find_last_attempt(tx, head.enrollment_id, module.id)
    if module.type == "SCORM":
        return await _prepare_scorm_attempt(tx, head, module, last)
    if module.type == "CMI5":
        return await units.prepare_attempt(tx, head, module, last)
    if module.type == "QUIZ":
        return await quiz_attempts.continue_or_begin(tx, head, module.id, last), False
    settings = get_file_settings(module)
    attempt = (
        last.attempt
        if last
        else await attempt_queries.insert_attempt(tx, head.enrollment_id, module.id, 1, settings=settings)
    )
    return attempt, head.status == EnrollmentStatus.COMPLETED


def get_file_settings(module: Module) -> dict[str, Any]:
    """Returns the file that an attempt keeps even if the module's file is replaced.

    Raises Conflict (module_without_content).
    """
    if module.type not in ("VIDEO", "DOCUMENT"):
        return {}
    if not (module.content or {}).get("file_id"):
        raise Conflict("module_without_content")
    return {"file_id": (module.content or {})["file_id"]}


async def _prepare_scorm_attempt(
    tx: Tx, head: LogHead, module: Module, last: SavedAttempt | None
) -> tuple[Attempt, bool]:
    content = await pages.get_scorm_content(tx, module)
    progress = await completion_queries.get_course_progress(tx, head.enrollment_id, head.course_id)
    better = completion_rules.needs_better_score(progress.course, progress.modules, module.id)
    opening = _decide_opening(content.manifest, last, needs_better_score=better)
    if last is not None and not opening.new_attempt:
        # An attempt keeps the package that it began with, which must still be there.
        await pages.get_scorm_content(tx, module, last.attempt)
        return last.attempt, opening.review
    attempt = await attempt_queries.insert_attempt(
        tx,
        head.enrollment_id,
        module.id,
        last.attempt.number + 1 if last else 1,
        package_id=content.package_id,
        item=content.item.identifier,
        version=content.manifest.version,
        settings=msgspec.to_builtins(ItemSettings.of(content.item)),
    )
    return attempt, opening.review


def _decide_opening(manifest: Manifest, last: SavedAttempt | None, *, needs_better_score: bool) -> Opening:
    """Decides whether to resume, to review or to begin a new attempt.

    A completed attempt is begun anew if it was failed or if the course needs a better score: a review could
    change neither.
    """
    if last is None:
        return resume.opening(manifest.version, None, "resume", terminated=False)
    attempt = last.attempt
    again = attempt.completion == "completed" and (attempt.success == "failed" or needs_better_score)
    policy: Policy = "new_attempt" if again else "resume"
    before = State(completion=attempt.completion, success=attempt.success, exit=attempt.exit)
    version = attempt.version or manifest.version
    return resume.opening(version, before, policy, terminated=attempt.terminated)
