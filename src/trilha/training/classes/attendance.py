"""Records who was in a session, and for how many minutes."""

from collections.abc import Sequence, Set
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, Invalid, problem
from trilha.core.types import Timestamp
from trilha.platform.audit.schema import NewRecord
from trilha.platform.events.catalogue import AttendanceRecorded
from trilha.platform.events.outbox import emit
from trilha.training.classes import attendance_queries, check_in_codes, queries, registration_queries, rules
from trilha.training.classes.actions import is_running
from trilha.training.classes.attendance_queries import Change
from trilha.training.classes.registration_queries import OpenRegistration
from trilha.training.classes.rules import Method
from trilha.training.classes.schema import (
    Attendance,
    AttendanceEntry,
    CheckedIn,
    CheckInCode,
    ClassSession,
    LockedClass,
    MeetingPlace,
)
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.signatures.schema import Signature


class CheckInAddress(str):
    """The page that takes the code of a check-in."""

    __slots__ = ()


async def record(tx: Tx, session_id: UUID, entries: Sequence[AttendanceEntry]) -> list[Attendance]:
    """Records the list of a session: all entries, or none. Returns the attendance of the people listed.

    Minutes that stay the same change nothing. Raises NotFound, BusinessRule (session_cancelled,
    session_not_started, not_registered), Invalid.
    """
    user_ids = [each.user_id for each in entries]
    await queries.lock_users(tx, user_ids)
    locked, session = await lock_session(tx, session_id, user_ids)
    if session.starts_at > Timestamp.of(tx.now):
        raise BusinessRule("session_not_started")
    before = await attendance_queries.list_recorded(tx, session_id, user_ids)
    changed = {
        each.user_id
        for each in entries
        if each.user_id not in before or before[each.user_id].minutes != each.minutes
    }
    _check_minutes(session, entries, changed)
    places = await find_places(tx, session.class_id, user_ids)
    changes = [
        Change(
            each.user_id,
            places[each.user_id].enrollment_id,
            each.minutes,
            before.get(each.user_id),
            each.reason,
        )
        for each in entries
        if each.user_id in changed
    ]
    unexplained = {each.user_id for each in changes if each.before is not None and each.reason is None}
    if unexplained:
        raise Invalid(
            problem(f"entries.{number}.reason", "required")
            for number, each in enumerate(entries)
            if each.user_id in unexplained
        )
    await store(tx, locked, session, changes, "LIST")
    after = await attendance_queries.list_recorded(tx, session_id, user_ids)
    return [after[each] for each in user_ids]


async def lock_session(
    tx: Tx, session_id: UUID, user_ids: Sequence[UUID]
) -> tuple[LockedClass, ClassSession]:
    """Locks the class of a session before the attendance of these people is recorded. Their places count for
    the enrollments that they have now. Raises NotFound, BusinessRule (session_cancelled).
    """
    locked = await queries.lock(tx, (await queries.find_session(tx, session_id)).class_id)
    session = await queries.find_session(tx, session_id)
    if session.status == "CANCELLED":
        raise BusinessRule("session_cancelled")
    await registration_queries.follow_enrollments(
        tx, locked.id, user_ids, locked.course_id, before=session.ends_at
    )
    return locked, session


def _check_minutes(session: ClassSession, entries: Sequence[AttendanceEntry], changed: Set[UUID]) -> None:
    """Checks changed minutes: those recorded before a session was shortened may stay. Raises Invalid
    (out_of_range).
    """
    length = rules.measure(*session.span)
    problems = [
        problem(f"entries.{number}.minutes", "out_of_range", minimum=0, maximum=length)
        for number, each in enumerate(entries)
        if each.user_id in changed and each.minutes > length
    ]
    if problems:
        raise Invalid(problems)


async def find_places(tx: Tx, class_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, OpenRegistration]:
    """Returns the places of these people in a class. Raises BusinessRule (not_registered)."""
    places = await registration_queries.list_registered(tx, class_id, user_ids)
    missing = [each for each in user_ids if each not in places or places[each].status != "REGISTERED"]
    if missing:
        raise BusinessRule("not_registered", user_ids=[str(each) for each in missing])
    return places


async def store(
    tx: Tx,
    locked: LockedClass,
    session: ClassSession,
    changes: Sequence[Change],
    method: Method,
    signature: Signature | None = None,
) -> None:
    """Stores changes, adds them to the logs of the enrollments, and lets the worker judge the presence.
    `signature` is that of the one person who signed.
    """
    if not changes:
        return
    enrollment_ids = [each.enrollment_id for each in changes]
    heads = {head.enrollment_id: head for head in await evidence_queries.lock_heads(tx, enrollment_ids)}
    await attendance_queries.store(tx, session.id, changes, method)
    details = [
        (heads[each.enrollment_id], _describe(tx, locked, session, each, method, signature))
        for each in changes
    ]
    await log.append_to_each(tx, "attended", details)
    events = [
        AttendanceRecorded(
            session_id=session.id, class_id=locked.id, user_id=each.user_id, minutes=each.minutes
        )
        for each in changes
    ]
    people = {"class_id": locked.id, "people": len(changes), "method": method}
    corrected = sum(each.before is not None for each in changes)
    record = NewRecord("attendance.recorded", session.id, locked.title, people | {"corrected": corrected})
    await emit(tx, *events, record=record)
    await attendance_queries.request_checks(tx, enrollment_ids)


def _describe(
    tx: Tx,
    locked: LockedClass,
    session: ClassSession,
    change: Change,
    method: Method,
    signature: Signature | None,
) -> dict[str, Any]:
    """Builds the log entry of a change. The reason is not in it: it may be personal, and the log cannot
    change.
    """
    entry: dict[str, Any] = {
        "module": locked.module_id,
        "class": locked.id,
        "session": session.id,
        "minutes": change.minutes,
        "method": method,
        "by": tx.actor.name,
    }
    if change.before is not None:
        entry |= {"minutes_before": change.before.minutes, "corrected": True}
    if signature is not None:
        entry |= {"signature": signature.id, "signed": signature.digest}
    return entry


async def create_code(tx: Tx, session_id: UUID, address: str) -> CheckInCode:
    """Creates the current code of a session. Raises NotFound, BusinessRule (session_cancelled,
    outside_session).
    """
    session = await queries.find_session(tx, session_id)
    if session.status == "CANCELLED":
        raise BusinessRule("session_cancelled")
    if not is_running(session, tx.now):
        raise BusinessRule("outside_session")
    code, expires_at = check_in_codes.create(tx.keyring, tx.tenant_id, session_id, tx.now)
    return CheckInCode(code, f"{address}?code={code}", Timestamp.of(expires_at))


async def find_place(tx: Tx, code: str) -> MeetingPlace | None:
    """Returns what a code is about, or None if it is not good now."""
    session_id = check_in_codes.read(tx.keyring, tx.tenant_id, code, tx.now)
    return await queries.find_meeting_place(tx, session_id) if session_id else None


async def check_in(tx: Tx, user_id: UUID, code: str) -> CheckedIn:
    """Records that a person is in the room, from now to the end of the session. This happens once.

    Raises BusinessRule (check_in_code_invalid, session_cancelled, outside_session, not_registered), Conflict
    (already_checked_in).
    """
    session_id = check_in_codes.read(tx.keyring, tx.tenant_id, code, tx.now)
    if session_id is None:
        raise BusinessRule("check_in_code_invalid")
    await queries.lock_users(tx, [user_id])
    locked, session = await lock_session(tx, session_id, [user_id])
    if not is_running(session, tx.now):
        raise BusinessRule("outside_session")
    places = await find_places(tx, session.class_id, [user_id])
    if await attendance_queries.list_recorded(tx, session_id, [user_id]):
        raise Conflict("already_checked_in")
    minutes = rules.measure_rest(tx.now, *session.span)
    change = Change(user_id, places[user_id].enrollment_id, minutes, None, None)
    await store(tx, locked, session, [change], "QR")
    return CheckedIn(locked.id, session_id, minutes, Timestamp.of(tx.now))
