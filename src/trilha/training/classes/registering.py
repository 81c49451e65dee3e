"""Registers people in classes, cancels registrations, and moves up who waits.

Places are given under the lock of the class, so that nobody passes its maximum or the waiting list.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, NotFound
from trilha.platform.events.catalogue import (
    RegistrationCancelled,
    RegistrationCreated,
    RegistrationEvent,
    RegistrationWaitlisted,
)
from trilha.platform.events.outbox import emit
from trilha.training.classes import attendance_queries, overlaps, queries, registration_queries, rules
from trilha.training.classes.invitations import notices
from trilha.training.classes.registration_queries import NewPlace, OpenRegistration
from trilha.training.classes.schema import ClassRegistration, LockedClass, Overlap
from trilha.training.enrollments import actions as enrollments


async def register(tx: Tx, class_id: UUID, user_id: UUID) -> tuple[ClassRegistration, list[Overlap]]:
    """Gives a person a place in a class, or puts them on its waiting list. Enrolls them in the course if they
    are not enrolled.

    Raises NotFound (class_not_found, user_not_found), BusinessRule (class_cancelled, and why a person cannot
    be enrolled), Conflict (already_registered, class_full).
    """
    users = await queries.lock_users(tx, [user_id])
    locked = await queries.lock(tx, class_id)
    if locked.status == "CANCELLED":
        raise BusinessRule("class_cancelled")
    if user_id not in users:
        raise NotFound("user_not_found")
    if users[user_id].status != "ACTIVE":
        raise BusinessRule("user_not_active")
    if await registration_queries.list_registered(tx, class_id, [user_id]):
        raise Conflict("already_registered")
    status = rules.decide_place(
        locked.registered, locked.waitlisted, locked.maximum_people, waiting_list=locked.waiting_list
    )
    if status is None:
        raise Conflict("class_full")
    enrollment_id = await enrollments.enroll_if_needed(tx, user_id, locked.course_id)
    ticket = locked.last_ticket + 1 if status == "WAITLISTED" else None
    (registration,) = await insert_places(tx, locked, [NewPlace(user_id, enrollment_id, ticket)])
    await emit(tx, build_event(registration, locked.course_id))
    return (
        await registration_queries.get(tx, class_id, registration.id),
        await overlaps.find_of_learners(tx, class_id, [user_id]),
    )


async def insert_places(tx: Tx, locked: LockedClass, places: Sequence[NewPlace]) -> list[OpenRegistration]:
    """Inserts registrations in a locked class, and counts them."""
    registrations = await registration_queries.insert(tx, locked.id, places)
    waiting = sum(each.ticket is not None for each in places)
    await registration_queries.count_places(tx, locked.id, len(places) - waiting, waiting, waiting)
    await notices.add_registered(tx, locked.id, [each.user_id for each in places if each.ticket is None])
    # Their minutes count again if they were in the class before.
    await attendance_queries.request_checks_of_people(tx, locked.id, [each.user_id for each in places])
    return registrations


def build_event(registration: OpenRegistration, course_id: UUID) -> RegistrationEvent:
    members: dict[str, Any] = {
        "registration_id": registration.id,
        "class_id": registration.class_id,
        "user_id": registration.user_id,
        "course_id": course_id,
        "status": registration.status,
    }
    if registration.status == "REGISTERED":
        return RegistrationCreated(**members)
    if registration.status == "WAITLISTED":
        return RegistrationWaitlisted(**members)
    return RegistrationCancelled(**members)


async def cancel(tx: Tx, class_id: UUID, registration_id: UUID, reason: str | None) -> ClassRegistration:
    """Cancels a registration, and moves up who waits first. A cancelled one stays unchanged. Raises
    NotFound.
    """
    locked = await queries.lock(tx, class_id)
    before = await registration_queries.get(tx, class_id, registration_id)
    if before.status != "CANCELLED":
        ids = (before.id, before.class_id, before.user_id, before.enrollment_id)
        changed = await _cancel_of_class(tx, locked, [OpenRegistration(*ids, before.status)], reason)
        await attendance_queries.request_checks(tx, changed)
    return await registration_queries.get(tx, class_id, registration_id)


async def cancel_all(tx: Tx, registrations: Sequence[OpenRegistration], reason: str | None = None) -> None:
    """Cancels registrations in several classes, which are locked in one order. One that meanwhile moved to
    another enrollment stays.
    """
    by_class: dict[UUID, set[tuple[UUID, UUID]]] = {}
    for each in sorted(registrations, key=lambda each: each.class_id):
        by_class.setdefault(each.class_id, set()).add((each.id, each.enrollment_id))
    users = [each.user_id for each in registrations]
    changed: list[UUID] = []
    for class_id, pairs in by_class.items():
        locked = await queries.lock(tx, class_id)
        # Read after taking the lock, so that we see what the previous holder cancelled, moved up, or moved to
        # a new enrollment.
        open_now = await registration_queries.list_registered(tx, class_id, users)
        wanted = [each for each in open_now.values() if (each.id, each.enrollment_id) in pairs]
        changed += await _cancel_of_class(tx, locked, wanted, reason)
    await attendance_queries.request_checks(tx, changed)


async def _cancel_of_class(
    tx: Tx, locked: LockedClass, registrations: Sequence[OpenRegistration], reason: str | None
) -> list[UUID]:
    """Cancels registrations in a locked class. Returns the enrollments whose presence may change."""
    if not registrations:
        return []
    await registration_queries.cancel(tx, [each.id for each in registrations], reason)
    had_place = [each for each in registrations if each.status == "REGISTERED"]
    waiting = len(registrations) - len(had_place)
    await notices.add_unregistered(tx, locked.id, [each.user_id for each in had_place])
    await registration_queries.count_places(tx, locked.id, -len(had_place), -waiting)
    cancelled = [structs.replace(each, status="CANCELLED") for each in registrations]
    await emit(tx, *(build_event(each, locked.course_id) for each in cancelled))
    moved = await move_up(tx, await queries.lock(tx, locked.id))
    return [each.enrollment_id for each in (*had_place, *moved)]


async def move_up(tx: Tx, locked: LockedClass) -> list[OpenRegistration]:
    """Gives the free places of a locked class to who waits, in the order of the waiting list. Returns who got
    one: their minutes count again if they were in the class before.
    """
    places = min(locked.maximum_people - locked.registered, locked.waitlisted)
    if places <= 0 or locked.status == "CANCELLED":
        return []
    moved = await registration_queries.move_up(tx, locked.id, places)
    await registration_queries.count_places(tx, locked.id, len(moved), -len(moved))
    await notices.add_registered(tx, locked.id, [each.user_id for each in moved])
    await emit(tx, *(build_event(each, locked.course_id) for each in moved))
    return moved
