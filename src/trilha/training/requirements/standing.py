"""Decides where a person stands with a requirement, and what comes next. No I/O, no clock.

Requirements of one course or path are judged together, so that a person sees one due date for it.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.training.enrollments.validity import Terms, add_days, compute_end, compute_opening

State = Literal["VALID", "DUE_SOON", "OVERDUE", "MISSING", "EXCUSED"]
DUE_SOON_DAYS = 30
END_OF_DAY = time(23, 59, 59)


class Completion(Struct, frozen=True):
    enrollment_id: UUID
    completed_at: datetime


class CourseRecord(Struct, frozen=True):
    """A person's completions of a course, in order, and the open enrollment, if there is one."""

    course_id: UUID
    completions: Sequence[Completion]
    open_enrollment_id: UUID | None
    terms: Terms


class Claim(Struct, frozen=True):
    """A requirement that applies to a person: since when, when it is due, and until when the person was given
    more time.
    """

    requirement_id: UUID
    since: datetime
    due_days: int | None
    due_on: str | None
    extended_to: datetime | None = None

    def compute_due(self, zone: ZoneInfo) -> datetime:
        """Returns the end of the day on which it is due."""
        if self.due_on is not None:
            day = date.fromisoformat(self.due_on)
        else:
            day = self.since.astimezone(zone).date() + timedelta(days=min(self.due_days or 0, 1_000_000))
        return datetime.combine(day, END_OF_DAY, zone).astimezone(ZoneInfo("UTC"))

    def extend(self, due_at: datetime) -> datetime:
        """Returns the person's own due date if it is later."""
        return due_at if self.extended_to is None else max(due_at, self.extended_to)


class Standing(Struct, frozen=True):
    """Where a person stands. `valid_until` of None with `holds` means for good. `opens_at` is when the
    renewal window opens. `courses_to_take` are those without an open enrollment that must be taken now.
    """

    state: State
    holds: bool
    due_at: datetime | None
    valid_until: datetime | None
    opens_at: datetime | None
    next_at: datetime | None
    enrollment_id: UUID | None
    last_completion_id: UUID | None
    courses_to_take: tuple[UUID, ...]


class _Holding(Struct, frozen=True):
    """How long a course is held. `ever` is false if it was not held since the requirement applies."""

    ever: bool
    end: datetime | None
    opens_at: datetime | None

    def is_valid(self, now: datetime) -> bool:
        return self.ever and (self.end is None or self.end > now)

    def asks_for_enrollment(self, now: datetime) -> bool:
        return not self.ever or (self.opens_at is not None and self.opens_at <= now)


def _hold(record: CourseRecord, since: datetime) -> _Holding:
    """A completion that had ended before the requirement applied counts as none."""
    if not record.completions:
        return _Holding(False, None, None)
    end = compute_end([each.completed_at for each in record.completions], record.terms)
    if end is None:
        return _Holding(True, None, None)
    if end <= since:
        return _Holding(False, None, None)
    return _Holding(True, end, compute_opening(end, record.terms))


def judge(
    claims: Sequence[Claim],
    records: Sequence[CourseRecord],
    now: datetime,
    zone: ZoneInfo,
    excused_until: datetime | None = None,
    *,
    excused: bool = False,
    in_order: bool = False,
) -> Standing:
    """Judges the claims on one course, or on all courses of one path. There is at least one of each. With
    `in_order`, a course opens when those before it are held.
    """
    since = min(claim.since for claim in claims)
    held = [_hold(record, since) for record in records]
    ever, valid = all(each.ever for each in held), all(each.is_valid(now) for each in held)
    ends = [each.end for each in held if each.end is not None]
    valid_until = min(ends) if ever and ends else None
    openings = [each.opens_at for each in held if each.opens_at is not None]
    opens_at = min(openings) if ever and openings else None
    due_at = _compute_due(claims, zone, valid_until, ever=ever)
    take = _list_courses_to_take(records, held, now, in_order=in_order)
    if excused:
        state: State = "EXCUSED"
        next_at, take = excused_until, ()
    else:
        state, next_at = _judge_time(valid, due_at, opens_at, now, zone)
    return Standing(
        state,
        valid,
        due_at,
        valid_until,
        opens_at,
        next_at,
        _choose_enrollment(records),
        _find_last_completion(records),
        take,
    )


def _compute_due(
    claims: Sequence[Claim], zone: ZoneInfo, valid_until: datetime | None, *, ever: bool
) -> datetime | None:
    """Returns the earliest due date of the claims. What was held before is due when its validity ends."""
    if not ever:
        return min(claim.extend(claim.compute_due(zone)) for claim in claims)
    return min(claim.extend(valid_until) for claim in claims) if valid_until else None


def _list_courses_to_take(
    records: Sequence[CourseRecord], held: Sequence[_Holding], now: datetime, *, in_order: bool
) -> tuple[UUID, ...]:
    courses = []
    for record, each in zip(records, held, strict=True):
        if each.asks_for_enrollment(now) and record.open_enrollment_id is None:
            courses.append(record.course_id)
        if in_order and not each.is_valid(now):
            break
    return tuple(courses)


def _judge_time(
    holds: bool, due_at: datetime | None, opens_at: datetime | None, now: datetime, zone: ZoneInfo
) -> tuple[State, datetime | None]:
    """Returns the state, and when it changes by itself."""
    if holds:
        if opens_at is None:
            return "VALID", due_at
        return ("VALID", opens_at) if now < opens_at else ("DUE_SOON", due_at)
    assert due_at is not None
    if due_at <= now:
        return "OVERDUE", None
    soon = add_days(due_at, -DUE_SOON_DAYS, zone)
    return ("MISSING", soon) if now < soon else ("DUE_SOON", due_at)


def _choose_enrollment(records: Sequence[CourseRecord]) -> UUID | None:
    """Returns the open enrollment, else the latest completion."""
    for record in records:
        if record.open_enrollment_id is not None:
            return record.open_enrollment_id
    return _find_last_completion(records)


def _find_last_completion(records: Sequence[CourseRecord]) -> UUID | None:
    completions = [record.completions[-1] for record in records if record.completions]
    if not completions:
        return None
    return max(completions, key=lambda each: each.completed_at).enrollment_id
