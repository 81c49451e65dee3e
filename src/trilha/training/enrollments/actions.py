"""Changes to enrollments."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from uuid import UUID, uuid4

from msgspec import UNSET

from trilha.core.database import Tx
from trilha.core.errors import ApiError, Conflict, Invalid, invalid
from trilha.core.types import Timestamp
from trilha.people.users import queries as users
from trilha.platform.audit.schema import NewRecord
from trilha.platform.events.catalogue import (
    EnrollmentCancelled,
    EnrollmentCompleted,
    EnrollmentCreated,
    EnrollmentExpired,
    EnrollmentProgress,
    EnrollmentStarted,
    EnrollmentUpdated,
)
from trilha.platform.events.outbox import emit
from trilha.training.courses import queries as courses
from trilha.training.enrollments import queries, rules
from trilha.training.enrollments.schema import (
    BULK_LIMIT,
    BulkError,
    BulkResult,
    CreatedEnrollment,
    Enrollment,
    EnrollmentStatus,
    NewEnrollment,
)

_RECORDED_COURSES = 50
_OPEN = (EnrollmentStatus.NOT_STARTED, EnrollmentStatus.IN_PROGRESS)
_TOGETHER = 100  # items of a bulk request that are validated without a pause


async def enroll(tx: Tx, new: NewEnrollment) -> Enrollment:
    """Raises NotFound, BusinessRule, Invalid (not_in_future), Conflict (already_enrolled)."""
    event = EnrollmentCreated(
        enrollment_id=uuid4(), user_id=new.user_id, course_id=new.course_id, expires_at=new.expires_at
    )
    user, course = await queries.find_user_and_course(tx, new.user_id, new.course_id)
    rules.check(user, course, new.expires_at, Timestamp.of(tx.now), tx.today)
    enrollment = await queries.insert(tx, new, event)
    while enrollment is None:
        await _expire_due_of(tx, [new])
        await queries.release_lapsed_of(tx, [new])
        # If there is no current one, the conflicting enrollment has ended meanwhile.
        if existing := await queries.find_current(tx, new.user_id, new.course_id):
            raise await _conflict_with(tx, existing)
        enrollment = await queries.insert(tx, new, event)
    return enrollment


async def enroll_if_needed(tx: Tx, user_id: UUID, course_id: UUID) -> UUID:
    """Returns the id of the enrollment with which an active person takes part in a course now: the open one,
    a new one, or the completed one until it may be renewed. Raises NotFound, BusinessRule.
    """
    current = (await queries.lock_current(tx, [user_id], course_id)).get(user_id)
    if current is not None and current.status in _OPEN:
        return current.id
    try:
        return (await enroll(tx, NewEnrollment(user_id=user_id, course_id=course_id))).id
    except Conflict as conflict:
        existing: Enrollment = conflict.detail["existing_enrollment"]
        return existing.id


async def enroll_where_needed(
    tx: Tx, user_ids: Sequence[UUID], course_id: UUID
) -> tuple[dict[UUID, UUID], dict[UUID, str]]:
    """Does the same for many people, who are all active. Returns the enrollments by person, and the error
    codes of those who cannot be enrolled.
    """
    current = await queries.lock_current(tx, user_ids, course_id)
    ids = {user_id: each.id for user_id, each in current.items() if each.status in _OPEN}
    items = [NewEnrollment(user_id=id, course_id=course_id) for id in user_ids if id not in ids]
    if items:
        created, errors = await enroll_required(tx, items)
        ids |= {each.user_id: each.id for each in created}
        refused = {each.user_id: each.code for each in errors}
        kept = await queries.lock_current(tx, [each.user_id for each in items], course_id)
        ids |= {user_id: each.id for user_id, each in kept.items() if user_id not in refused}
        return ids, refused
    return ids, {}


async def check_not_enrolled(tx: Tx, user_id: UUID, course_id: UUID) -> None:
    """Raises Conflict (already_enrolled) if `enroll` would."""
    existing = await queries.find_current(tx, user_id, course_id)
    if existing is None or existing.status == "EXPIRED":
        return
    if existing.status == "COMPLETED":
        renewable_from = await queries.find_renewable_from(tx, existing.id)
        if renewable_from is not None and renewable_from <= Timestamp.of(tx.now):
            return
    raise await _conflict_with(tx, existing)


async def _conflict_with(tx: Tx, existing: Enrollment) -> Conflict:
    if existing.status != "COMPLETED":
        return Conflict("already_enrolled", existing_enrollment=existing)
    renewable_from = await queries.find_renewable_from(tx, existing.id)
    return Conflict("already_enrolled", existing_enrollment=existing, renewable_from=renewable_from)


async def change_expiry(tx: Tx, enrollment_id: UUID, expires_at: Timestamp | None) -> Enrollment:
    """Sets another due date, or None for no due date. An expired enrollment reopens with its progress if the
    person may still be enrolled and has no newer enrollment in the course.

    Raises NotFound, Invalid (not_in_future), Conflict (enrollment_completed, already_enrolled), BusinessRule.
    """
    before = await queries.get_for_update(tx, enrollment_id)
    if before.status == "COMPLETED":
        raise Conflict("enrollment_completed")
    if expires_at is not None and expires_at <= Timestamp.of(tx.now):
        raise invalid("expires_at", "not_in_future")
    if expires_at == before.expires_at:
        return before
    if before.status == "EXPIRED":
        user, course = await queries.find_user_and_course(tx, before.user_id, before.course_id)
        rules.check(user, course, expires_at, Timestamp.of(tx.now), tx.today)
    while (enrollment := await queries.set_expiry(tx, enrollment_id, expires_at)) is None:
        # If there is no current one, the conflicting enrollment has ended meanwhile.
        if existing := await queries.find_current(tx, before.user_id, before.course_id):
            raise await _conflict_with(tx, existing)
    await emit(
        tx, EnrollmentUpdated(**_ids(enrollment), status=enrollment.status, expires_at=enrollment.expires_at)
    )
    return enrollment


async def cancel(tx: Tx, enrollment_id: UUID) -> None:
    """Cancels an enrollment; its learning records are kept. Raises NotFound, Conflict
    (enrollment_completed).
    """
    enrollment = await queries.get_for_update(tx, enrollment_id)
    if not await queries.cancel(tx, enrollment_id):
        raise Conflict("enrollment_completed")
    await emit(tx, EnrollmentCancelled(**_ids(enrollment), cancelled_at=Timestamp.of(tx.now)))


async def enroll_many(tx: Tx, items: Sequence[NewEnrollment]) -> BulkResult:
    """Enrolls each pair as `enroll` would, in a fixed number of statements."""
    created, errors = await _enroll_pairs(tx, items)
    skipped = len(items) - len(errors) - len(created)
    result = BulkResult(len(created), skipped, len(errors), errors)
    await emit(tx, *map(_build_created_event, created), record=_bulk_record(result, created))
    return result


async def enroll_required(
    tx: Tx, items: Sequence[NewEnrollment]
) -> tuple[list[CreatedEnrollment], list[BulkError]]:
    """Enrolls like `enroll_many`, and returns the new enrollments and the errors. The audit record names no
    duplicates, because who is enrolled already is what a requirement wants.
    """
    created, errors = await _enroll_pairs(tx, items)
    if created:
        record = _bulk_record(BulkResult(len(created), 0, 0, []), created)
        await emit(tx, *map(_build_created_event, created), record=record)
    return created, errors


async def _enroll_pairs(
    tx: Tx, items: Sequence[NewEnrollment]
) -> tuple[list[CreatedEnrollment], list[BulkError]]:
    """Enrolls the pairs without events; returns the new enrollments, and the errors by index."""
    user_ids, course_ids = {each.user_id for each in items}, {each.course_id for each in items}
    user_by_id = {user.id: user for user in await users.list_profiles(tx, list(user_ids))}
    course_by_id = {course.id: course for course in await courses.list_enrollable(tx, list(course_ids))}
    now, today = Timestamp.of(tx.now), tx.today
    errors: list[BulkError] = []
    wanted: dict[tuple[UUID, UUID], NewEnrollment] = {}
    for index, item in enumerate(items):
        if index % _TOGETHER == 0:
            await asyncio.sleep(0)  # other requests are answered meanwhile
        try:
            user, course = user_by_id.get(item.user_id), course_by_id.get(item.course_id)
            rules.check(user, course, item.expires_at, now, today)
        except ApiError as error:
            detail = UNSET if isinstance(error, Invalid) else error.detail or UNSET
            errors.append(BulkError(index, item.user_id, item.course_id, error.code, error.message, detail))
        else:
            wanted.setdefault((item.user_id, item.course_id), item)
    return await _insert_all(tx, list(wanted.values())), errors


async def _insert_all(tx: Tx, new_enrollments: Sequence[NewEnrollment]) -> list[CreatedEnrollment]:
    """Inserts the enrollments, some of them in place of expired or lapsed ones, and returns the new ones.

    Rows are locked in one order, and no lock is awaited while new rows are held that others may wait for:
    overdue enrollments are expired first, and the second insert only takes places that nobody else can take.
    """
    await _expire_due_of(tx, new_enrollments)
    created = await queries.insert_many(tx, new_enrollments)
    if len(created) == len(new_enrollments):
        return created
    inserted = {(each.user_id, each.course_id) for each in created}
    rest = [each for each in new_enrollments if (each.user_id, each.course_id) not in inserted]
    released = await queries.release_lapsed_of(tx, rest)
    again = [each for each in rest if (each.user_id, each.course_id) in released]
    return created + await queries.insert_many(tx, again)


def _bulk_record(result: BulkResult, created: Sequence[CreatedEnrollment]) -> NewRecord:
    """Builds the audit record: counts, the courses with the most new enrollments, and the new enrollments'
    ids.
    """
    courses = Counter(each.course_id for each in created)
    return NewRecord(
        "enrollment.bulk_created",
        detail={
            "created": result.created,
            "skipped": result.skipped,
            "failed": result.failed,
            "courses": dict(courses.most_common(_RECORDED_COURSES)),
            "enrollment_ids": [each.id for each in created[:BULK_LIMIT]],
        },
    )


async def start(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """Starts an enrollment at the first launch of any module. Returns None unless it was NOT_STARTED."""
    enrollment = await queries.start(tx, enrollment_id)
    if enrollment is not None:
        assert enrollment.started_at is not None
        await emit(tx, EnrollmentStarted(**_ids(enrollment), started_at=enrollment.started_at))
    return enrollment


async def advance(
    tx: Tx, enrollment_id: UUID, progress: float, score: float | None, *, tell: bool = True
) -> Enrollment | None:
    """Stores `progress` and `score`, both 0 to 100. Progress never decreases. `tell` emits an event.

    Returns None unless the enrollment is IN_PROGRESS and has more progress or another score than before.
    """
    enrollment = await queries.advance(tx, enrollment_id, progress, score)
    if enrollment is not None and tell:
        await emit(tx, EnrollmentProgress(**_ids(enrollment), progress_percent=enrollment.progress))
    return enrollment


async def complete(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """Completes an enrollment that meets every criterion. Returns None unless it was IN_PROGRESS."""
    enrollment = await queries.complete(tx, enrollment_id)
    if enrollment is not None:
        assert enrollment.completed_at is not None
        await emit(
            tx,
            EnrollmentCompleted(
                **_ids(enrollment),
                progress_percent=enrollment.progress,
                score=enrollment.score,
                completed_at=enrollment.completed_at,
            ),
        )
    return enrollment


async def expire_due(tx: Tx, limit: int = 500) -> int:
    """Stores overdue enrollments as expired, up to a limit; returns how many."""
    return await _emit_expired(tx, await queries.expire_due(tx, limit))


async def _expire_due_of(tx: Tx, items: Sequence[NewEnrollment]) -> None:
    if items:
        await _emit_expired(tx, await queries.expire_due_of(tx, items))


async def _emit_expired(tx: Tx, expired: Sequence[Enrollment]) -> int:
    await emit(
        tx,
        *(EnrollmentExpired(**_ids(each), expires_at=each.expires_at) for each in expired if each.expires_at),
    )
    return len(expired)


def _ids(enrollment: Enrollment | CreatedEnrollment) -> dict[str, UUID]:
    return {
        "enrollment_id": enrollment.id,
        "user_id": enrollment.user_id,
        "course_id": enrollment.course_id,
    }


def _build_created_event(enrollment: CreatedEnrollment) -> EnrollmentCreated:
    return EnrollmentCreated(**_ids(enrollment), expires_at=enrollment.expires_at)
