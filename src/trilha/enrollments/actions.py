"""What can be done to an enrollment."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import CODES, ApiError, BusinessRule, Conflict, NotFound, invalid
from trilha.core.types import Timestamp
from trilha.courses import queries as courses
from trilha.enrollments import queries, rules
from trilha.enrollments.rules import Refusal
from trilha.enrollments.schema import BulkError, BulkResult, Enrollment, NewEnrollment, Placed
from trilha.events.catalogue import (
    EnrollmentCompleted,
    EnrollmentCreated,
    EnrollmentExpired,
    EnrollmentProgress,
    EnrollmentStarted,
)
from trilha.events.outbox import emit
from trilha.users import queries as users


async def enroll(tx: Tx, new: NewEnrollment) -> Enrollment:
    """Raises NotFound, BusinessRule, Invalid (not_in_future), Conflict (already_enrolled)."""
    user, course = await queries.find_parties(tx, new.user_id, new.course_id)
    try:
        rules.check(user, course, new.expires_at, Timestamp.of(tx.now), tx.today)
    except Refusal as refusal:
        raise _as_error(refusal) from None
    enrollment = await queries.insert(tx, new)
    if enrollment is None:
        # In the way: a place that has run out and is not stored so yet, or a current one.
        if not await _expire(tx, [new.user_id], [new.course_id]):
            raise await _already_enrolled(tx, new)
        enrollment = await queries.insert(tx, new)
        if enrollment is None:
            raise await _already_enrolled(tx, new)
    await emit(tx, _created(enrollment))
    return enrollment


async def enroll_many(tx: Tx, items: Sequence[NewEnrollment]) -> BulkResult:
    """Each item as `enroll` would, in a fixed number of statements however many there are."""
    profiles = {user.id: user for user in await users.list_profiles(tx, list({i.user_id for i in items}))}
    open_courses = {
        course.id: course for course in await courses.list_enrollable(tx, list({i.course_id for i in items}))
    }
    now, today = Timestamp.of(tx.now), tx.today
    errors: list[BulkError] = []
    wanted: dict[tuple[UUID, UUID], NewEnrollment] = {}
    for index, item in enumerate(items):
        try:
            rules.check(
                profiles.get(item.user_id), open_courses.get(item.course_id), item.expires_at, now, today
            )
        except Refusal as refusal:
            message = CODES[refusal.code].message
            errors.append(BulkError(index, item.user_id, item.course_id, refusal.code, message))
        else:
            wanted.setdefault((item.user_id, item.course_id), item)
    created = await _insert_wanted(tx, wanted)
    await emit(tx, *map(_created, created))
    skipped = len(items) - len(errors) - len(created)
    return BulkResult(len(created), skipped, len(errors), errors)


async def _insert_wanted(tx: Tx, wanted: dict[tuple[UUID, UUID], NewEnrollment]) -> list[Placed]:
    if not wanted:
        return []
    created = await queries.insert_many(tx, list(wanted.values()))
    if len(created) == len(wanted):
        return created
    made = {(each.user_id, each.course_id) for each in created}
    blocked = {pair: item for pair, item in wanted.items() if pair not in made}
    if await _expire(tx, [user for user, _ in blocked], [course for _, course in blocked]):
        created += await queries.insert_many(tx, list(blocked.values()))
    return created


async def start(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """At the first launch of any module. None when it was not waiting to be started."""
    enrollment = await queries.start(tx, enrollment_id)
    if enrollment is not None:
        assert enrollment.started_at is not None
        await emit(tx, EnrollmentStarted(**_ids(enrollment), started_at=enrollment.started_at))
    return enrollment


async def advance(tx: Tx, enrollment_id: UUID, progress: float, score: float | None) -> Enrollment | None:
    """Percent done and the score so far. None when it is not under way, or not further than before."""
    enrollment = await queries.advance(tx, enrollment_id, progress, score)
    if enrollment is not None:
        await emit(tx, EnrollmentProgress(**_ids(enrollment), progress_percent=enrollment.progress))
    return enrollment


async def complete(tx: Tx, enrollment_id: UUID) -> Enrollment | None:
    """When every completion criterion has passed. None when it was not under way."""
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


async def expire_due(tx: Tx, most: int = 500) -> int:
    """Stores as expired what has run out; how many."""
    return await _announce_expired(tx, await queries.expire_due(tx, most))


async def _expire(tx: Tx, user_ids: Sequence[UUID], course_ids: Sequence[UUID]) -> int:
    return await _announce_expired(tx, await queries.expire_run_out(tx, user_ids, course_ids))


async def _announce_expired(tx: Tx, expired: Sequence[Enrollment]) -> int:
    await emit(
        tx,
        *(EnrollmentExpired(**_ids(each), expires_at=each.expires_at) for each in expired if each.expires_at),
    )
    return len(expired)


async def _already_enrolled(tx: Tx, new: NewEnrollment) -> Conflict:
    existing = await queries.find_current(tx, new.user_id, new.course_id)
    return Conflict("already_enrolled", existing_enrollment=existing)


def _as_error(refusal: Refusal) -> ApiError:
    if refusal.code == "not_in_future":
        return invalid("expires_at", refusal.code)
    kind = {"not_found": NotFound, "business_rule": BusinessRule}[CODES[refusal.code].type]
    return kind(refusal.code, **refusal.detail)


def _ids(enrollment: Enrollment) -> dict[str, UUID]:
    return {
        "enrollment_id": enrollment.id,
        "user_id": enrollment.user_id,
        "course_id": enrollment.course_id,
    }


def _created(place: Enrollment | Placed) -> EnrollmentCreated:
    return EnrollmentCreated(
        enrollment_id=place.id,
        user_id=place.user_id,
        course_id=place.course_id,
        expires_at=place.expires_at,
    )
