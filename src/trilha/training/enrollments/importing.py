"""Imports completions from another system as completed enrollments."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET

from trilha.core.database import Tx
from trilha.core.errors import ApiError, BusinessRule, Invalid, NotFound, invalid
from trilha.core.types import Timestamp
from trilha.people.users import queries as users
from trilha.platform.audit import queries as audit
from trilha.training.courses import queries as courses
from trilha.training.courses.schema import Enrollable
from trilha.training.enrollments import import_queries as queries
from trilha.training.enrollments import validity_queries
from trilha.training.enrollments.schema import BulkError, BulkResult, PastCompletion
from trilha.training.enrollments.validity_queries import Pair

_TOGETHER = 100  # items that are validated without a pause
_EARLIEST = Timestamp("1900-01-01T00:00:00.000Z")


async def take_over(tx: Tx, items: Sequence[PastCompletion], *, certificates: bool) -> BulkResult:
    """Imports completions in a fixed number of statements, without events. Completions that were imported
    before are skipped. With `certificates` the worker issues certificates one by one and sends no mail.
    """
    people = {each.id for each in await users.list_profiles(tx, list({item.user_id for item in items}))}
    known = await courses.list_enrollable(tx, list({item.course_id for item in items}))
    course_by_id = {course.id: course for course in known}
    now = Timestamp.of(tx.now)
    errors: list[BulkError] = []
    wanted: dict[tuple[UUID, UUID, Timestamp], PastCompletion] = {}
    for index, item in enumerate(items):
        if index % _TOGETHER == 0:
            await asyncio.sleep(0)  # other requests are answered meanwhile
        try:
            _check(item, people, course_by_id.get(item.course_id), now)
        except ApiError as error:
            detail = UNSET if isinstance(error, Invalid) else error.detail or UNSET
            errors.append(BulkError(index, item.user_id, item.course_id, error.code, error.message, detail))
        else:
            wanted.setdefault((item.user_id, item.course_id, item.completed_at), item)
    created = await _store(tx, list(wanted.values())) if wanted else []
    if created and certificates:
        await queries.ask_for_certificates(tx, created)
    result = BulkResult(len(created), len(items) - len(errors) - len(created), len(errors), errors)
    if created:
        counts: dict[str, Any] = {name: getattr(result, name) for name in ("created", "skipped", "failed")}
        await audit.record(tx, "enrollment.bulk_imported", **counts, enrollment_ids=created)
    return result


async def _store(tx: Tx, items: Sequence[PastCompletion]) -> list[UUID]:
    """Stores the completions that are new, and returns their enrollments.

    If a completion leaves its person nothing to do now, it completes the enrollment that a requirement made
    for it; every other one is an enrollment of its own.
    """
    pairs = list({(item.user_id, item.course_id) for item in items})
    unstarted = await queries.lock_unstarted(tx, pairs)
    completing = await _choose_completing(tx, unstarted, items) if unstarted else {}
    chosen = {id(item) for item in completing.values()}
    created = await queries.insert(tx, [item for item in items if id(item) not in chosen])
    if completing:
        await queries.complete(tx, completing)
    ids = [*created, *completing]
    if ids:
        await validity_queries.set_validities(tx, await validity_queries.compute_validities(tx, ids))
        await validity_queries.raise_renewable_from(tx, pairs)
    return ids


async def _choose_completing(
    tx: Tx, unstarted: Mapping[Pair, UUID], items: Sequence[PastCompletion]
) -> dict[UUID, PastCompletion]:
    """Returns, by enrollment, the completions that leave their person nothing to do now."""
    records = await validity_queries.list_records(tx, list(unstarted))
    chosen = {}
    for pair, enrollment_id in unstarted.items():
        own = [item for item in items if (item.user_id, item.course_id) == pair]
        moments = {item.completed_at.moment() for item in own}
        known = {each.completed_at for each in records[pair].completions}
        last = max(own, key=lambda item: item.completed_at)
        if last.completed_at.moment() in known:
            continue
        validity = validity_queries.compute_validity(sorted(moments | known), records[pair].terms)
        if validity.renewable_from is None or validity.renewable_from > tx.now:
            chosen[enrollment_id] = last
    return chosen


def _check(item: PastCompletion, people: set[UUID], course: Enrollable | None, now: Timestamp) -> None:
    """Raises NotFound, BusinessRule or Invalid for the first rule that fails."""
    if item.user_id not in people:
        raise NotFound("user_not_found")
    if course is None:
        raise NotFound("course_not_found")
    if course.status == "DRAFT":
        raise BusinessRule("course_not_published")
    # All are UTC in the same format, so they compare as text.
    if item.completed_at > now:
        raise invalid("completed_at", "in_future")
    if item.completed_at < _EARLIEST:
        raise invalid("completed_at", "too_long_ago")
    if item.started_at is not None and item.started_at < _EARLIEST:
        raise invalid("started_at", "too_long_ago")
    if item.started_at is not None and item.started_at > item.completed_at:
        raise invalid("started_at", "after_completion")
