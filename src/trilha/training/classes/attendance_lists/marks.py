"""Merges marks that devices made, perhaps an hour ago and without a connection, with what others recorded."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.core.types import Timestamp
from trilha.people.users.reach import EVERYONE
from trilha.training.classes import attendance, attendance_queries, registration_queries, rules
from trilha.training.classes import queries as classes
from trilha.training.classes.attendance_lists import queries
from trilha.training.classes.attendance_lists.schema import ListedPerson, Mark, MarkResult, SessionHead
from trilha.training.classes.attendance_queries import Change
from trilha.training.classes.schema import Attendance

_EARLY = timedelta(days=1)  # how long before the session a device may say that it marked


async def merge(tx: Tx, head: SessionHead, marks: Sequence[Mark]) -> list[MarkResult]:
    """Records each mark whose person still has the minutes that the device showed. Otherwise the mark is a
    conflict, and what is recorded stays. A mark that is sent again changes nothing.

    Of several marks of one person, each builds on the one before. Raises BusinessRule (session_cancelled,
    session_not_started).
    """
    user_ids = list({each.user_id for each in marks})
    await classes.lock_users(tx, user_ids)
    locked, session = await attendance.lock_session(tx, head.id, user_ids)
    if session.starts_at > Timestamp.of(tx.now):
        raise BusinessRule("session_not_started")
    places = await registration_queries.list_registered(tx, session.class_id, user_ids)
    known = await queries.list_known_marks(tx, [each.id for each in marks])
    before = await attendance_queries.list_recorded(tx, session.id, user_ids)
    listed = {
        each.user_id: each
        for each in await queries.list_people(tx, head, EVERYONE, len(user_ids), ids=user_ids)
    }
    length = rules.measure(*session.span)
    current: dict[UUID, int | None] = {id: each.minutes for id, each in before.items()}
    reasons: dict[UUID, str] = {}
    results, recorded = [], []
    for mark in marks:
        place = places.get(mark.user_id)
        if mark.id in known:
            results.append(MarkResult(mark.id, "UNCHANGED"))
            continue
        if place is None or place.status != "REGISTERED":
            results.append(MarkResult(mark.id, "REFUSED", "not_registered"))
            continue
        result = _judge(mark, current.get(mark.user_id), length, listed.get(mark.user_id))
        results.append(result)
        if result.outcome == "RECORDED":
            known.add(mark.id)
            current[mark.user_id] = mark.minutes
            recorded.append(mark)
            if mark.reason is not None:
                reasons[mark.user_id] = mark.reason
    changes = [
        Change(id, places[id].enrollment_id, minutes, before.get(id), reasons.get(id))
        for id, minutes in current.items()
        if minutes is not None and _differs(before.get(id), minutes)
    ]
    await queries.insert_marks(tx, session.id, recorded, earliest=session.span[0] - _EARLY)
    await attendance.store(tx, locked, session, changes, "LIST")
    return results


def _judge(mark: Mark, current: int | None, length: int, person: ListedPerson | None) -> MarkResult:
    if current == mark.minutes:
        return MarkResult(mark.id, "UNCHANGED")
    if mark.minutes > length:
        return MarkResult(mark.id, "REFUSED", "out_of_range")
    if current != mark.before:
        return MarkResult(mark.id, "CONFLICT", recorded=person)
    if current is not None and mark.reason is None:
        return MarkResult(mark.id, "REFUSED", "required")
    return MarkResult(mark.id, "RECORDED")


def _differs(before: Attendance | None, minutes: int) -> bool:
    return before is None or before.minutes != minutes
