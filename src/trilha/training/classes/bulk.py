"""Registers many people in a class in one transaction."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import CODES, BusinessRule
from trilha.platform.audit.schema import NewRecord
from trilha.platform.events.outbox import emit
from trilha.training.classes import overlaps, queries, registration_queries, rules
from trilha.training.classes.registering import build_event, insert_places
from trilha.training.classes.registration_queries import NewPlace
from trilha.training.classes.schema import (
    BulkRegistrationError,
    BulkRegistrationResult,
    LockedClass,
    Overlap,
)
from trilha.training.enrollments import actions as enrollments


async def register_all(
    tx: Tx, class_id: UUID, user_ids: Sequence[UUID]
) -> tuple[BulkRegistrationResult, list[Overlap]]:
    """Registers people in the given order, each as `register` would. A failed one does not affect the others.

    Raises NotFound (class_not_found), BusinessRule (class_cancelled).
    """
    users = await queries.lock_users(tx, list(set(user_ids)))
    locked = await queries.lock(tx, class_id)
    if locked.status == "CANCELLED":
        raise BusinessRule("class_cancelled")
    registered = await registration_queries.list_registered(tx, class_id, list(users))
    codes: dict[UUID, str] = {}
    for user_id in user_ids:
        if user_id not in users:
            codes[user_id] = "user_not_found"
        elif user_id not in registered and users[user_id].status != "ACTIVE":
            codes[user_id] = "user_not_active"
    wanted = [id for id in dict.fromkeys(user_ids) if id not in registered and id not in codes]
    places, refused = await _find_places(tx, locked, wanted)
    codes |= refused
    made = await insert_places(tx, locked, places) if places else []
    waitlisted = sum(each.status == "WAITLISTED" for each in made)
    errors = _list_errors(user_ids, codes)
    result = BulkRegistrationResult(
        registered=len(made) - waitlisted,
        waitlisted=waitlisted,
        skipped=len(user_ids) - len(made) - len(errors),
        failed=len(errors),
        errors=errors,
    )
    record = NewRecord(
        "registration.bulk_created",
        locked.id,
        locked.title,
        {
            "registered": result.registered,
            "waitlisted": result.waitlisted,
            "skipped": result.skipped,
            "failed": result.failed,
            "registration_ids": [each.id for each in made],
        },
    )
    await emit(tx, *(build_event(each, locked.course_id) for each in made), record=record)
    return result, await overlaps.find_of_learners(tx, class_id, [each.user_id for each in made])


def _list_errors(user_ids: Sequence[UUID], codes: dict[UUID, str]) -> list[BulkRegistrationError]:
    """Lists the errors, one for the first mention of each person."""
    firsts = {id: index for index, id in reversed(list(enumerate(user_ids)))}
    return [
        BulkRegistrationError(firsts[id], id, code, CODES[code].message)
        for id, code in sorted(codes.items(), key=lambda each: firsts[each[0]])
    ]


async def _find_places(
    tx: Tx, locked: LockedClass, user_ids: Sequence[UUID]
) -> tuple[list[NewPlace], dict[UUID, str]]:
    """Enrolls as many of these people as the class has room for. Returns their places, and the error codes of
    the others.
    """
    places: list[NewPlace] = []
    codes: dict[UUID, str] = {}
    registered, waitlisted, ticket = locked.registered, locked.waitlisted, locked.last_ticket
    left = list(user_ids)
    while left:
        room = len(left) if locked.waiting_list else max(locked.maximum_people - registered, 0)
        if waitlisted and not locked.waiting_list:
            room = 0
        part, left = left[:room], left[room:]
        if not part:
            return places, codes | dict.fromkeys(left, "class_full")
        ids, refused = await enrollments.enroll_where_needed(tx, part, locked.course_id)
        codes |= refused
        for user_id in part:
            if user_id not in ids:
                continue
            status = rules.decide_place(
                registered, waitlisted, locked.maximum_people, waiting_list=locked.waiting_list
            )
            if status == "REGISTERED":
                registered += 1
            else:
                waitlisted, ticket = waitlisted + 1, ticket + 1
            places.append(NewPlace(user_id, ids[user_id], None if status == "REGISTERED" else ticket))
    return places, codes
