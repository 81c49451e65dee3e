"""The sessions of a span of days, and what of them overlaps."""

from calendar import SUNDAY, Calendar
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.core.clock import in_zone
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.people.users.reach import Reach
from trilha.training.classes.panel_lists import teaches
from trilha.training.classes.rules import LONGEST, RegistrationStatus

MAX_SESSIONS = 500
CalendarView = Literal["month", "week", "list"]
# How many days the list shows.
LIST_DAYS = 30
_CALENDAR = Calendar(SUNDAY)


class CalendarSession(Struct, frozen=True):
    """A session in a calendar. `registration` is the viewer's own place in the class, and `is_taught` says
    that they are an instructor of the session.
    """

    id: UUID
    class_id: UUID
    title: str
    course_id: UUID
    course_title: str
    starts_at: Timestamp
    ends_at: Timestamp
    time_zone: str
    room: str | None
    room_key: str | None
    meeting_url: str | None
    instructor_ids: list[UUID]
    instructors: list[str]
    registered: int
    maximum_people: int
    is_cancelled: bool
    registration: RegistrationStatus | None
    enrollment_id: UUID | None
    is_taught: bool


_COLUMNS = """s.id, s.class_id, c.title, c.course_id,
    (SELECT title FROM courses WHERE tenant_id = :tenant AND id = c.course_id) AS course_title,
    s.starts_at, s.ends_at, s.time_zone, s.room, s.room_key, s.meeting_url,
    ARRAY(SELECT i.user_id FROM class_instructors AS i
          WHERE i.tenant_id = :tenant AND i.session_id = s.id ORDER BY i.number) AS instructor_ids,
    ARRAY(SELECT u.name FROM class_instructors AS i
          JOIN users AS u ON u.tenant_id = :tenant AND u.id = i.user_id
          WHERE i.tenant_id = :tenant AND i.session_id = s.id ORDER BY i.number) AS instructors,
    c.registered, c.maximum_people, s.cancelled_at IS NOT NULL AS is_cancelled"""
# No session is longer than LONGEST, so that a range of starts finds all.
_WITHIN = f"""s.starts_at < CAST(:until AS timestamptz)
    AND s.starts_at > CAST(:since AS timestamptz) - interval '{LONGEST.days} days'
    AND s.ends_at > CAST(:since AS timestamptz)"""
_IS_TAUGHT = """EXISTS (SELECT FROM class_instructors AS i
    WHERE i.tenant_id = :tenant AND i.session_id = s.id AND i.user_id = :viewer)"""


async def list_sessions(
    tx: Tx,
    viewer: Reach,
    since: datetime,
    until: datetime,
    *,
    course_id: UUID | None = None,
    instructor_id: UUID | None = None,
) -> list[CalendarSession]:
    """Lists the sessions within a viewer's reach in the panel that are not cancelled, by start, at most
    MAX_SESSIONS.
    """
    conditions, params = ["s.cancelled_at IS NULL"], dict[str, Any]()
    if viewer.role == "instrutor":
        conditions.append(teaches("c"))
        params["reach_user"] = viewer.user_id
    if course_id:
        conditions.append("c.course_id = :course_id")
        params["course_id"] = course_id
    if instructor_id:
        conditions.append(_IS_TAUGHT.replace(":viewer", ":instructor_id"))
        params["instructor_id"] = instructor_id
    return await tx.list(
        CalendarSession,
        f"""
        SELECT {_COLUMNS}, NULL AS registration, NULL::uuid AS enrollment_id, {_IS_TAUGHT} AS is_taught
        FROM class_sessions AS s JOIN classes AS c ON c.tenant_id = :tenant AND c.id = s.class_id
        WHERE s.tenant_id = :tenant AND {_WITHIN} AND {" AND ".join(conditions)}
        ORDER BY s.starts_at, s.id LIMIT :limit
        """,  # noqa: S608
        since=since,
        until=until,
        viewer=viewer.user_id,
        limit=MAX_SESSIONS,
        **params,
    )


async def list_own_sessions(
    tx: Tx, user_id: UUID, since: datetime, until: datetime, limit: int = MAX_SESSIONS
) -> list[CalendarSession]:
    """Lists the sessions of a person, by start: those of classes where they have a place or wait for one, and
    those where they are an instructor. Cancelled ones are among them.
    """
    return await tx.list(
        CalendarSession,
        f"""
        SELECT {_COLUMNS}, r.status AS registration, r.enrollment_id, {_IS_TAUGHT} AS is_taught
        FROM class_sessions AS s
        JOIN classes AS c ON c.tenant_id = :tenant AND c.id = s.class_id
        LEFT JOIN class_registrations AS r ON r.tenant_id = :tenant AND r.class_id = c.id
              AND r.user_id = :viewer AND r.cancelled_at IS NULL
        WHERE s.tenant_id = :tenant AND {_WITHIN} AND s.class_id = ANY(ARRAY(
            SELECT class_id FROM class_registrations
            WHERE tenant_id = :tenant AND user_id = :viewer AND cancelled_at IS NULL
            UNION ALL
            SELECT t.class_id FROM class_instructors AS i
            JOIN class_sessions AS t ON t.tenant_id = :tenant AND t.id = i.session_id
            WHERE i.tenant_id = :tenant AND i.user_id = :viewer))
          AND (r.id IS NOT NULL OR {_IS_TAUGHT})
        ORDER BY s.starts_at, s.id LIMIT :limit
        """,  # noqa: S608
        since=since,
        until=until,
        viewer=user_id,
        limit=limit,
    )


def find_overlaps(sessions: Sequence[CalendarSession], *, own: bool = False) -> dict[UUID, set[str]]:
    """Returns what each session shares with another one at the same time: its room, or an instructor. In
    somebody's `own` calendar, every two sessions overlap that they cannot both attend. An end at the start of
    another session is no overlap.
    """
    overlaps: dict[UUID, set[str]] = {}
    running: list[CalendarSession] = []
    for session in sessions:
        if session.is_cancelled:
            continue
        running = [each for each in running if each.ends_at > session.starts_at]
        for other in running:
            codes = set(_list_shared(session, other, own=own))
            for each in (session, other) if codes else ():
                overlaps.setdefault(each.id, set()).update(codes)
        running.append(session)
    return overlaps


def _list_shared(session: CalendarSession, other: CalendarSession, *, own: bool) -> Iterator[str]:
    if own:
        yield "learner_overlap"
        return
    if session.room_key is not None and session.room_key == other.room_key:
        yield "room_overlap"
    if set(session.instructor_ids) & set(other.instructor_ids):
        yield "instructor_overlap"


class CalendarDay(Struct, frozen=True):
    """A day of a calendar with its sessions, and what else is due then."""

    day: date
    is_outside: bool
    sessions: list[CalendarSession]
    others: list[Any]


class CalendarSpan(Struct, frozen=True):
    """The days that a calendar shows, those before and after it, and the moments at its ends."""

    view: CalendarView
    first: date
    days: list[date]
    before: date
    after: date
    since: datetime
    until: datetime


def find_span(view: CalendarView, day: date, time_zone: str) -> CalendarSpan:
    """Returns the month, the week, or the days of the list that begin with a day."""
    if view == "month":
        first = day.replace(day=1)
        days = list(_CALENDAR.itermonthdates(first.year, first.month))
        before, after = (first - timedelta(days=1)).replace(day=1), _find_next_month(first)
    elif view == "week":
        first = day - timedelta(days=(day.weekday() + 1) % 7)
        days = [first + timedelta(days=each) for each in range(7)]
        before, after = first - timedelta(days=7), first + timedelta(days=7)
    else:
        first = day
        days = [first + timedelta(days=each) for each in range(LIST_DAYS)]
        before, after = first - timedelta(days=LIST_DAYS), first + timedelta(days=LIST_DAYS)
    zone = ZoneInfo(time_zone)
    since = datetime(days[0].year, days[0].month, days[0].day, tzinfo=zone)
    end = days[-1] + timedelta(days=1)
    return CalendarSpan(
        view, first, days, before, after, since, datetime(end.year, end.month, end.day, tzinfo=zone)
    )


def _find_next_month(first: date) -> date:
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1)


def place(
    span: CalendarSpan,
    sessions: Sequence[CalendarSession],
    time_zone: str,
    others: Mapping[date, list[Any]] | None = None,
) -> list[CalendarDay]:
    """Places sessions on the days of a calendar: each on every day that it lasts."""
    zone = ZoneInfo(time_zone)
    by_day: dict[date, list[CalendarSession]] = {each: [] for each in span.days}
    for session in sessions:
        start = in_zone(datetime.fromisoformat(session.starts_at), zone).date()
        # One that ends at midnight is not on the day that begins then.
        end = in_zone(datetime.fromisoformat(session.ends_at) - timedelta(milliseconds=1), zone).date()
        for number in range((end - start).days + 1):
            if (day := start + timedelta(days=number)) in by_day:
                by_day[day].append(session)
    is_month = span.view == "month"
    return [
        CalendarDay(
            day,
            is_month and day.month != span.first.month,
            by_day[day],
            (others or {}).get(day, []),
        )
        for day in span.days
    ]
