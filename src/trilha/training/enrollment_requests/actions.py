"""Requests for enrollment, and the decisions about them."""

import math
from datetime import timedelta
from uuid import UUID

import trilha.training.enrollment_requests.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, NotFound, RateLimited, invalid
from trilha.core.types import Timestamp
from trilha.platform.audit import queries as audit
from trilha.platform.events.catalogue import EnrollmentRequested
from trilha.platform.events.outbox import emit
from trilha.training.enrollment_requests import queries
from trilha.training.enrollment_requests.schema import EnrollmentRequest, RequestStatus
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments import queries as enrollment_queries
from trilha.training.enrollments import rules as enrollment_rules
from trilha.training.enrollments.schema import NewEnrollment
from trilha.training.reminders import actions as reminders
from trilha.training.reminders import queries as reminder_queries

MAX_A_DAY = 50  # of one person
_DAY = timedelta(days=1)


async def request(tx: Tx, user_id: UUID, course_id: UUID, message: str | None) -> EnrollmentRequest:
    """Asks to enroll a person. If the course is open to everyone, the person is enrolled at once; otherwise
    whoever decides is told.

    Raises NotFound, BusinessRule (self_enrollment_closed and what `enroll` raises), Conflict
    (already_enrolled, enrollment_already_requested), RateLimited (too_many_enrollment_requests).
    """
    # Before any row is locked, so that two requests cannot wait for each other.
    await queries.lock_requests(tx, user_id)
    user, course = await enrollment_queries.find_user_and_course(tx, user_id, course_id)
    if user and course and course.status == "PUBLISHED" and course.self_enrollment == "CLOSED":
        raise BusinessRule("self_enrollment_closed")
    enrollment_rules.check(user, course, None, Timestamp.of(tx.now), tx.today)
    assert course is not None
    await _check_pace(tx, user_id)
    message = (message or "").strip() or None
    if course.self_enrollment == "OPEN":
        new = await _enroll_at_once(tx, user_id, course_id, message)
    else:
        await enrollments.check_not_enrolled(tx, user_id, course_id)
        new = await _insert(tx, user_id, course_id, message)
        deciders = await queries.list_deciders(tx, user_id)
        await reminders.make_of_requests(tx, [(each, new.id, "enrollment_requested") for each in deciders])
    await emit(
        tx, EnrollmentRequested(request_id=new.id, user_id=user_id, course_id=course_id, status=new.status)
    )
    await _record(tx, "created", new)
    return new


async def _check_pace(tx: Tx, user_id: UUID) -> None:
    """Raises RateLimited if the person has sent MAX_A_DAY requests within 24 hours: each tells somebody."""
    oldest = await queries.find_nth_newest(tx, user_id, MAX_A_DAY)
    if oldest is not None and (wait := Timestamp(oldest).moment() + _DAY - tx.now) > timedelta(0):
        seconds = str(math.ceil(wait.total_seconds()))
        raise RateLimited("too_many_enrollment_requests", headers={"retry-after": seconds})


async def _enroll_at_once(tx: Tx, user_id: UUID, course_id: UUID, message: str | None) -> EnrollmentRequest:
    enrollment = await enrollments.enroll(tx, NewEnrollment(user_id=user_id, course_id=course_id))
    await reminder_queries.announce(tx, enrollment.id)
    # From before the course was open to everyone.
    if earlier := await queries.cancel_waiting(tx, user_id, course_id):
        await reminder_queries.delete_of_request(tx, earlier, "enrollment_requested")
        await audit.record(tx, "enrollment_request.cancelled", earlier, user_id=user_id, course_id=course_id)
    return await _insert(tx, user_id, course_id, message, enrollment.id)


async def _insert(
    tx: Tx, user_id: UUID, course_id: UUID, message: str | None, enrollment_id: UUID | None = None
) -> EnrollmentRequest:
    new = await queries.insert(tx, user_id, course_id, message, enrollment_id)
    if new is None:
        raise Conflict("enrollment_already_requested")
    return new


async def approve(
    tx: Tx, request_id: UUID, expires_at: Timestamp | None = None, *, decided_by: UUID | None = None
) -> EnrollmentRequest:
    """Enrolls the person and tells them. Raises NotFound, Conflict (enrollment_request_decided), and what
    `enroll` raises.
    """
    waiting = await _get_waiting(tx, request_id)
    new = NewEnrollment(user_id=waiting.user_id, course_id=waiting.course_id, expires_at=expires_at)
    try:
        # Before the request is locked, because enrollments are locked first everywhere.
        enrollment = await enrollments.enroll(tx, new)
    except Conflict:
        await _get_waiting(tx, request_id)  # another approval may have enrolled the person meanwhile
        raise
    approved = await queries.decide(
        tx, request_id, RequestStatus.APPROVED, enrollment_id=enrollment.id, decided_by=decided_by
    )
    approved = _check_decided(approved)
    if await reminders.make(tx, [(approved.user_id, enrollment.id, "enrollment_approved")]):
        await reminder_queries.announce(tx, enrollment.id)
    await _record(tx, "approved", approved)
    return approved


async def reject(
    tx: Tx, request_id: UUID, reason: str, *, decided_by: UUID | None = None
) -> EnrollmentRequest:
    """Rejects a request, and tells the person why. Raises NotFound, Invalid (too_short), Conflict
    (enrollment_request_decided).
    """
    reason = reason.strip()
    if not reason:
        raise invalid("reason", "too_short")
    await queries.get(tx, request_id)
    rejected = _check_decided(
        await queries.decide(tx, request_id, RequestStatus.REJECTED, decided_by=decided_by, reason=reason)
    )
    await reminders.make_of_requests(tx, [(rejected.user_id, request_id, "enrollment_rejected")], text=reason)
    await _record(tx, "rejected", rejected)
    return rejected


async def cancel(tx: Tx, user_id: UUID, course_id: UUID) -> None:
    """Cancels a person's own waiting request; nobody has to answer it any more. Raises NotFound."""
    request_id = await queries.cancel_waiting(tx, user_id, course_id)
    if request_id is None:
        raise NotFound("enrollment_request_not_found")
    await reminder_queries.delete_of_request(tx, request_id, "enrollment_requested")
    await audit.record(tx, "enrollment_request.cancelled", request_id, user_id=user_id, course_id=course_id)


async def _get_waiting(tx: Tx, request_id: UUID) -> EnrollmentRequest:
    """Raises NotFound, Conflict (enrollment_request_decided)."""
    waiting = await queries.get(tx, request_id)
    if waiting.status != RequestStatus.WAITING:
        raise Conflict("enrollment_request_decided")
    return waiting


def _check_decided(decided: EnrollmentRequest | None) -> EnrollmentRequest:
    if decided is None:
        raise Conflict("enrollment_request_decided")
    return decided


async def _record(tx: Tx, action: str, request: EnrollmentRequest) -> None:
    await audit.record(
        tx,
        f"enrollment_request.{action}",
        request.id,
        user_id=request.user_id,
        course_id=request.course_id,
        status=request.status,
    )
