"""Asks people for consent, takes and compares their photos, and lets administrators decide."""

import random
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, NotFound, invalid
from trilha.platform.audit import queries as audit
from trilha.training.courses import queries as courses
from trilha.training.enrollments import queries as enrollments
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.identity import errors as errors
from trilha.training.identity import photo_queries, queries, review_queries, rules
from trilha.training.identity.matching import FaceMatcher, FaceMatchers
from trilha.training.identity.schema import (
    Check,
    CheckStatus,
    Comparison,
    Face,
    IdentityRule,
    IdentitySettings,
    IdentityState,
    Progress,
    ReviewedCheck,
    UnconfirmedEnrollment,
)
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.completion import queries as completion_queries
from trilha.training.learning.completion import rules as completion_rules
from trilha.training.learning.evidence import queries as evidence
from trilha.training.learning.evidence.schema import LogHead

_OPEN = (EnrollmentStatus.NOT_STARTED, EnrollmentStatus.IN_PROGRESS)


class PreparedPhoto(Struct, frozen=True):
    """What a photo is for and compared with, as read before the comparison."""

    check: Check
    rule: IdentityRule
    settings: IdentitySettings
    token: str
    reference: Face | None
    is_reference_confirmed: bool


async def find_state(tx: Tx, user_id: UUID, enrollment_id: UUID) -> IdentityState | None:
    """Returns what the person's own enrollment asks for.

    None if the course or the company asks for nothing, or the enrollment is over. Raises NotFound
    (enrollment_not_found).
    """
    enrollment = await enrollments.get(tx, enrollment_id)
    if enrollment.user_id != user_id:
        raise NotFound("enrollment_not_found")
    settings = await queries.get_settings(tx)
    rule = await queries.find_rule(tx, enrollment.course_id) if settings.enabled else None
    if rule is None or enrollment.status not in _OPEN:
        return None
    checks = await queries.list_checks(tx, enrollment_id)
    progress = await _load_progress(tx, enrollment_id, enrollment.course_id)
    return IdentityState(
        enrollment_id=enrollment_id,
        course_id=enrollment.course_id,
        course_title=(await courses.get(tx, enrollment.course_id)).title,
        rule=rule,
        settings=settings,
        text=await queries.get_text(tx),
        consent=await queries.find_consent(tx, user_id),
        checks=checks,
        is_confirmed=await queries.is_confirmed(tx, enrollment_id),
        due=rules.find_due(checks, progress),
    )


async def _load_progress(tx: Tx, enrollment_id: UUID, course_id: UUID) -> Progress:
    head = await evidence.find_head(tx, enrollment_id)
    seconds = head.credited_seconds if head else 0.0
    course = await completion_queries.get_course_progress(tx, enrollment_id, course_id)
    unmet = completion_rules.list_unmet_criteria(course.course, course.modules, seconds)
    return Progress(seconds, all(each.kind == "identity" for each in unmet))


async def decide_consent(tx: Tx, user_id: UUID, enrollment_id: UUID, version: int, *, agreed: bool) -> None:
    """Stores whether the person agrees to a version of the text. To agree, they must have seen the present
    one. If they refuse or no longer agree, their photos are deleted, and the version does not matter.

    Raises NotFound (enrollment_not_found) and BusinessRule (identity_not_due, identity_text_changed).
    """
    state = await find_state(tx, user_id, enrollment_id)
    if state is None:
        raise BusinessRule("identity_not_due")
    if agreed and version != state.text.version:
        raise BusinessRule("identity_text_changed")
    await queries.insert_consent(tx, user_id, state.text.version, agreed=agreed)
    action = "identity.agreed" if agreed else "identity.refused"
    await audit.record(tx, action, user_id, version=state.text.version)
    if agreed:
        await queries.reopen_checks(tx, user_id)
        await _plan_checks(tx, user_id, state)
    else:
        await photo_queries.delete_photos(tx, user_id)


async def _plan_checks(tx: Tx, user_id: UUID, state: IdentityState) -> None:
    """Draws the times of the random photos, which the person does not learn."""
    if state.checks:
        return
    course = await completion_queries.get_course_progress(tx, state.enrollment_id, state.course_id)
    length = sum(each.duration_minutes for each in course.course.modules if not each.attended)
    fractions = [random.SystemRandom().random() for _ in range(state.rule.random_photos)]
    dues = rules.draw_due_seconds(length, fractions)
    moments = ["START", *["RANDOM"] * len(dues), "END"]
    await queries.insert_checks(tx, state.enrollment_id, user_id, moments, [0, *dues, 0])


async def prepare_photo(tx: Tx, user_id: UUID, enrollment_id: UUID) -> PreparedPhoto:
    """Returns what the photo that is due now is compared with.

    Raises NotFound (enrollment_not_found) and BusinessRule (identity_not_due, identity_consent_required,
    too_many_photos).
    """
    state = await find_state(tx, user_id, enrollment_id)
    if state is None or state.is_confirmed:
        raise BusinessRule("identity_not_due")
    if not state.has_agreed:
        raise BusinessRule("identity_consent_required")
    if state.due is None:
        raise BusinessRule("identity_not_due")
    if state.due.attempts >= rules.MAX_ATTEMPTS:
        raise BusinessRule("too_many_photos")
    found = await photo_queries.find_reference(tx, user_id)
    reference, is_confirmed = found or (None, False)
    token = queries.open_token(tx, state.settings)
    return PreparedPhoto(state.due, state.rule, state.settings, token, reference, is_confirmed)


async def compare(matchers: FaceMatchers, tenant_id: UUID, prepared: PreparedPhoto, face: Face) -> Comparison:
    """Compares outside any transaction, because a service may take seconds. Raises Invalid (no_face,
    several_faces).
    """
    if prepared.reference is None:
        return Comparison(None)
    matcher: FaceMatcher = matchers.choose(tenant_id, prepared.settings.service_url, prepared.token)
    comparison = await matcher.compare(prepared.reference, face)
    if comparison.faces < 1:
        raise invalid("photo", "no_face")
    if comparison.faces > 1:
        raise invalid("photo", "several_faces")
    return comparison


async def store_photo(
    tx: Tx, user_id: UUID, prepared: PreparedPhoto, face: Face, comparison: Comparison
) -> CheckStatus:
    """Stores a photo until its last day, and what it counts as. The first one becomes the reference.

    Raises BusinessRule (identity_not_due, identity_consent_required) if things have changed meanwhile.
    """
    check = prepared.check
    head = await evidence.lock_head(tx, check.enrollment_id)
    consent = await queries.find_consent(tx, user_id)
    if consent is None or not consent.agreed:
        raise BusinessRule("identity_consent_required")
    status: CheckStatus = rules.judge(
        comparison, prepared.rule.threshold, is_reference_confirmed=prepared.is_reference_confirmed
    )
    photo_id = await photo_queries.insert_photo(
        tx, user_id, face, comparison.distance, prepared.settings.retention_days
    )
    if not await queries.record_photo(tx, check.id, photo_id, status, check.attempts):
        raise BusinessRule("identity_not_due")
    if prepared.reference is None:
        await photo_queries.put_reference(tx, user_id, photo_id)
    # The log says that and when, and nothing about the face.
    await audit.record(
        tx, "identity.photo_taken", check.enrollment_id, user_id=user_id, moment=check.moment, status=status
    )
    if status in rules.FINAL_STATUSES:
        await _reassess(tx, head)
    return status


async def accept(tx: Tx, check: ReviewedCheck, reviewer_id: UUID) -> None:
    """Says that the photo shows the person. If it is the reference, others are compared with it from now on.

    Raises NotFound (identity_check_not_found), also if the photo is deleted.
    """
    head = await evidence.lock_head(tx, check.enrollment_id)
    if check.photo_id is None or not await review_queries.decide(tx, check.id, "ACCEPTED", None, reviewer_id):
        raise NotFound("identity_check_not_found")
    await photo_queries.confirm_reference(tx, check.user_id, check.photo_id)
    await audit.record(
        tx, "identity.accepted", check.enrollment_id, user_id=check.user_id, moment=check.moment
    )
    await _reassess(tx, head)


async def refuse(tx: Tx, check: ReviewedCheck, reason: str, reviewer_id: UUID) -> None:
    """Says that the photo does not show the person, who reads the reason and takes another one.

    Raises NotFound (identity_check_not_found).
    """
    if not await review_queries.decide(tx, check.id, "REFUSED", reason, reviewer_id):
        raise NotFound("identity_check_not_found")
    if check.photo_id is not None:
        await photo_queries.delete_reference(tx, check.user_id, check.photo_id)
    await audit.record(
        tx, "identity.photo_refused", check.enrollment_id, user_id=check.user_id, moment=check.moment
    )


async def get_doubtful(tx: Tx, check_id: UUID) -> ReviewedCheck:
    """Raises NotFound (identity_check_not_found)."""
    check = await review_queries.find_doubtful(tx, check_id)
    if check is None:
        raise NotFound("identity_check_not_found")
    return check


async def get_unconfirmed(tx: Tx, enrollment_id: UUID) -> UnconfirmedEnrollment:
    """Raises NotFound (identity_check_not_found)."""
    enrollment = await review_queries.find_unconfirmed(tx, enrollment_id)
    if enrollment is None:
        raise NotFound("identity_check_not_found")
    return enrollment


async def confirm_by_hand(tx: Tx, enrollment: UnconfirmedEnrollment, reason: str, reviewer_id: UUID) -> None:
    """Confirms who takes a course without a photo. `reason` says how, such as by an identity card."""
    head = await evidence.lock_head(tx, enrollment.id)
    if await queries.insert_confirmation(tx, enrollment.id, enrollment.user_id, reason, reviewer_id):
        await audit.record(tx, "identity.confirmed", enrollment.id, user_id=enrollment.user_id)
        await _reassess(tx, head)


async def change_settings(
    tx: Tx, *, enabled: bool, retention_days: int, service_url: str | None, token: str, text: str
) -> None:
    """Stores a company's settings. An empty token keeps the present one, another text is a new version."""
    before = await queries.get_settings(tx)
    sealed = queries.seal_token(tx, token) if token else before.service_token
    after = IdentitySettings(enabled, retention_days, service_url, sealed if service_url else None)
    await queries.put_settings(tx, after)
    if before.enabled != enabled:
        for course_id in await queries.list_courses(tx):
            await courses.note_change(tx, course_id)
    present = await queries.get_text(tx)
    version = present.version
    if text and text != present.text:
        version += 1
        await queries.insert_text(tx, version, text)
    await audit.record(
        tx,
        "identity.settings_changed",
        tx.tenant_id,
        "",
        enabled=enabled,
        retention_days=retention_days,
        service=bool(service_url),
        text_version=version,
    )


async def change_rule(tx: Tx, course_id: UUID, rule: IdentityRule | None) -> None:
    """Sets what a course asks for; None asks for nothing."""
    if rule is None:
        await queries.delete_rule(tx, course_id)
    else:
        await queries.put_rule(tx, course_id, rule)
    detail = structs.asdict(rule) if rule else {"off": True}
    await audit.record(tx, "identity.rule_changed", course_id, **detail)
    await courses.note_change(tx, course_id)


async def _reassess(tx: Tx, head: LogHead) -> None:
    """Completes the course if nothing else is missing."""
    if head.status == EnrollmentStatus.IN_PROGRESS:
        await completion.reassess(tx, head)


async def is_photo_due(tx: Tx, user_id: UUID, enrollment_id: UUID) -> bool:
    """Returns whether modules open only after a decision or a photo.

    Raises NotFound (enrollment_not_found).
    """
    if not await queries.has_photo_rule(tx, enrollment_id):
        return False
    state = await find_state(tx, user_id, enrollment_id)
    return state is not None and state.rule.blocking and state.must_act
