"""Creates, changes and cancels classes and their sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct, structs

import trilha.training.classes.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, Invalid, NotFound, invalid
from trilha.core.types import Timestamp
from trilha.platform.events.catalogue import ClassCancelled, ClassCreated, ClassUpdated
from trilha.platform.events.outbox import emit
from trilha.training.classes import attendance_queries, overlaps, queries, registering
from trilha.training.classes.invitations import notices
from trilha.training.classes.rules import MAX_SESSIONS
from trilha.training.classes.schema import (
    ClassCreate,
    ClassSession,
    ClassUpdate,
    LockedClass,
    Overlap,
    SessionPlan,
    SessionUpdate,
    TrainingClass,
    list_time_problems,
)
from trilha.training.courses import module_queries as modules
from trilha.training.courses import queries as courses

# What a change of brings up to date in the calendars of the people invited.
_REVISED_MEMBERS = {"starts_at", "ends_at", "time_zone", "room", "meeting_url"}


async def create(tx: Tx, new: ClassCreate) -> tuple[TrainingClass, list[Overlap]]:
    """Raises NotFound (course_not_found, module_not_found, user_not_found), BusinessRule
    (module_not_class).
    """
    await courses.get(tx, new.course_id)
    module = await modules.get(tx, new.course_id, new.module_id)
    if module.type != "CLASS":
        raise BusinessRule("module_not_class")
    await _check_instructors(tx, [id for each in new.sessions for id in each.instructor_ids])
    class_id = await queries.insert(tx, new)
    time_zone = await queries.find_time_zone(tx)
    session_ids = await queries.insert_sessions(tx, class_id, new.sessions, time_zone)
    await queries.note_end(tx, class_id)
    await notices.add_sessions(tx, class_id, session_ids)
    await emit(tx, ClassCreated(class_id=class_id, course_id=new.course_id))
    return await queries.get(tx, class_id), await overlaps.find_of_sessions(tx, session_ids)


async def _check_instructors(tx: Tx, user_ids: Sequence[UUID]) -> None:
    """Raises NotFound (user_not_found)."""
    if user_ids and set(user_ids) - (await queries.lock_users(tx, user_ids)).keys():
        raise NotFound("user_not_found")


def _list_changes(update: Struct, before: Struct) -> dict[str, Any]:
    """Returns the members that an update changes."""
    return {
        name: value
        for name, value in structs.asdict(update).items()
        if value is not UNSET and value != getattr(before, name)
    }


async def change(tx: Tx, class_id: UUID, update: ClassUpdate) -> tuple[TrainingClass, list[Overlap]]:
    """Changes a class, and moves people up from the waiting list. Also returns their overlaps.

    Raises NotFound, BusinessRule (class_cancelled), Invalid (out_of_range), Conflict
    (capacity_below_registered).
    """
    locked = await _lock_open(tx, class_id)
    changes = _list_changes(update, locked)
    if not changes:
        return await queries.get(tx, class_id), []
    after = structs.replace(locked, **changes)
    if after.maximum_people < after.registered:
        raise Conflict("capacity_below_registered", registered=after.registered)
    if after.minimum_people > after.maximum_people:
        raise invalid("minimum_people", "out_of_range", minimum=0, maximum=after.maximum_people)
    await queries.update(tx, class_id, changes)
    await _tell(tx, after)
    moved = await registering.move_up(tx, after)
    user_ids = [each.user_id for each in moved]
    await attendance_queries.request_checks_of_people(tx, class_id, user_ids)
    return await queries.get(tx, class_id), await overlaps.find_of_learners(tx, class_id, user_ids)


async def _lock_open(tx: Tx, class_id: UUID) -> LockedClass:
    """Raises NotFound, BusinessRule (class_cancelled)."""
    locked = await queries.lock(tx, class_id)
    if locked.status == "CANCELLED":
        raise BusinessRule("class_cancelled")
    return locked


async def _tell(tx: Tx, changed: LockedClass) -> None:
    await emit(tx, ClassUpdated(class_id=changed.id, course_id=changed.course_id))


async def cancel(tx: Tx, class_id: UUID, reason: str) -> TrainingClass:
    """Cancels a class with all its sessions, whose attendance no longer counts. People stay registered, so
    that it is known whom the cancellation concerned. A cancelled class stays unchanged. Raises NotFound.
    """
    locked = await queries.lock(tx, class_id)
    if locked.status != "CANCELLED":
        await notices.add_cancelled_class(tx, class_id)
        await queries.cancel(tx, class_id, reason)
        await emit(tx, ClassCancelled(class_id=class_id, course_id=locked.course_id))
        await attendance_queries.request_checks_of_class(tx, class_id)
    return await queries.get(tx, class_id)


async def add_session(tx: Tx, class_id: UUID, new: SessionPlan) -> tuple[ClassSession, list[Overlap]]:
    """Raises NotFound (class_not_found, user_not_found), BusinessRule (class_cancelled,
    too_many_sessions).
    """
    await _check_instructors(tx, new.instructor_ids)
    locked = await _lock_open(tx, class_id)
    if await queries.count_sessions(tx, class_id) >= MAX_SESSIONS:
        raise BusinessRule("too_many_sessions")
    time_zone = await queries.find_time_zone(tx)
    (session_id,) = await queries.insert_sessions(tx, class_id, [new], time_zone)
    await notices.add_sessions(tx, class_id, [session_id])
    await _settle(tx, locked)
    return await queries.find_session(tx, session_id), await overlaps.find_of_sessions(tx, [session_id])


async def _settle(tx: Tx, changed: LockedClass) -> None:
    """Does what each change of a session leads to."""
    await queries.note_end(tx, changed.id)
    await _tell(tx, changed)
    await attendance_queries.request_checks_of_class(tx, changed.id)


async def _lock_session(tx: Tx, session_id: UUID) -> tuple[LockedClass, ClassSession]:
    """Locks the class of a session. Raises NotFound."""
    locked = await queries.lock(tx, (await queries.find_session(tx, session_id)).class_id)
    return locked, await queries.find_session(tx, session_id)


async def change_session(
    tx: Tx, session_id: UUID, update: SessionUpdate
) -> tuple[ClassSession, list[Overlap]]:
    """Raises NotFound (class_session_not_found, user_not_found), BusinessRule (session_cancelled), Invalid,
    Conflict (attendance_recorded).
    """
    if update.instructor_ids is not UNSET:
        await _check_instructors(tx, update.instructor_ids)
    locked, session = await _lock_session(tx, session_id)
    if session.status == "CANCELLED":
        raise BusinessRule("session_cancelled")
    changes = _list_changes(update, session)
    if changes:
        await _check_times(tx, session, structs.replace(session, **changes))
        instructors = changes.pop("instructor_ids", None)
        if instructors is not None:
            await queries.replace_instructors(tx, session_id, instructors)
        revises = bool(_REVISED_MEMBERS & changes.keys())
        await queries.update_session(tx, session_id, changes, revises=revises)
        if revises:
            await notices.add_sessions(tx, locked.id, [session_id])
        await _settle(tx, locked)
    return await queries.find_session(tx, session_id), await overlaps.find_of_sessions(tx, [session_id])


async def _check_times(tx: Tx, before: ClassSession, after: ClassSession) -> None:
    """Raises Invalid, Conflict (attendance_recorded)."""
    if problems := list(list_time_problems(after.starts_at, after.ends_at)):
        raise Invalid(problems)
    starts_later = before.starts_at < after.starts_at and datetime.fromisoformat(after.starts_at) > tx.now
    if starts_later and await queries.has_attendance(tx, before.id):
        raise Conflict("attendance_recorded")


async def cancel_session(tx: Tx, session_id: UUID, reason: str) -> ClassSession:
    """Cancels a session, whose attendance no longer counts. A cancelled one stays unchanged. Raises
    NotFound.
    """
    locked, session = await _lock_session(tx, session_id)
    if session.status != "CANCELLED":
        await queries.cancel_session(tx, session_id, reason)
        await notices.add_cancelled_session(tx, locked.id, session_id)
        await _settle(tx, locked)
    return await queries.find_session(tx, session_id)


def is_running(session: ClassSession, now: datetime) -> bool:
    """Returns whether it is the time of a session: from its start on, and before its end."""
    return session.starts_at <= Timestamp.of(now) < session.ends_at
