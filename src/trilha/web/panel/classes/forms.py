"""The forms of classes and sessions. Times are those of the clock in the session's time zone."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import UNSET, Meta, Struct, structs

from trilha.core.clock import in_zone
from trilha.core.errors import BusinessRule, Invalid, invalid
from trilha.core.moments import Day
from trilha.core.types import Timestamp, Title
from trilha.training.classes.rules import MAX_INSTRUCTORS
from trilha.training.classes.schema import (
    ClassCreate,
    ClassSession,
    ClassUpdate,
    Maximum,
    MeetingUrl,
    Minimum,
    Reason,
    Room,
    SessionPlan,
    SessionTimeZone,
    SessionUpdate,
    list_time_problems,
)
from trilha.training.meetings.schema import ServiceKind
from trilha.training.reminders.schema import ClockTime
from trilha.web.panel.confirm import Confirmation
from trilha.web.panel.courses.forms import Line

_FIELDS = {"starts_at": "starts", "ends_at": "ends"}


class SessionForm(Struct, frozen=True, kw_only=True):
    """A session. Without `ends_on`, it ends on the day of its start. `add_instructor` is one more than those
    of `instructor_ids`. `meeting_service` is to create the link. `shown_meeting_url` is the link that the
    form showed: one that was made meanwhile stays.
    """

    day: Day
    starts: ClockTime
    ends: ClockTime
    ends_on: Day | None = None
    time_zone: SessionTimeZone
    room: Room | None = None
    meeting_url: MeetingUrl | None = None
    shown_meeting_url: MeetingUrl | None = None
    meeting_service: ServiceKind | None = None
    instructor_ids: Annotated[list[UUID], Meta(max_length=MAX_INSTRUCTORS)] = []
    add_instructor: UUID | None = None

    def build_plan(self) -> SessionPlan:
        """Raises Invalid."""
        starts_at, ends_at = self._build_times()
        return SessionPlan(
            starts_at=starts_at,
            ends_at=ends_at,
            time_zone=self.time_zone,
            room=self.room,
            meeting_url=self._check_link(),
            instructor_ids=self._list_instructors(),
        )

    def build_update(self, before: ClassSession) -> SessionUpdate:
        """Returns the changes. Times that the form shows as they were keep their seconds. Raises Invalid."""
        shown = read_session(before)
        clock = ("day", "starts", "ends", "time_zone")
        is_same = all(getattr(self, name) == shown[name] for name in clock)
        is_same = is_same and (self.ends_on or self.day) == (shown["ends_on"] or shown["day"])
        starts_at, ends_at = (before.starts_at, before.ends_at) if is_same else self._build_times()
        link = self._check_link()
        return SessionUpdate(
            starts_at=starts_at,
            ends_at=ends_at,
            time_zone=self.time_zone,
            room=self.room,
            meeting_url=UNSET if link == self.shown_meeting_url else link,
            instructor_ids=self._list_instructors(),
        )

    def _build_times(self) -> tuple[Timestamp, Timestamp]:
        starts_at = _build_moment(self.day.as_date(), self.starts, self.time_zone)
        ends_at = _build_moment((self.ends_on or self.day).as_date(), self.ends, self.time_zone)
        if problems := list(list_time_problems(starts_at, ends_at)):
            raise Invalid([structs.replace(each, field=_FIELDS[each.field]) for each in problems])
        return starts_at, ends_at

    def _check_link(self) -> MeetingUrl | None:
        """Raises BusinessRule (meeting_link_exists)."""
        if self.meeting_url is not None and self.meeting_service is not None:
            raise BusinessRule("meeting_link_exists")
        return self.meeting_url

    def _list_instructors(self) -> list[UUID]:
        """Raises Invalid (too_long)."""
        ids = list(dict.fromkeys([*self.instructor_ids, *filter(None, [self.add_instructor])]))
        if len(ids) > MAX_INSTRUCTORS:
            raise invalid("instructor_ids", "too_long")
        return ids


def _build_moment(day: date, clock: str, time_zone: str) -> Timestamp:
    return Timestamp.of(datetime.combine(day, time.fromisoformat(clock), ZoneInfo(time_zone)))


class ClassForm(Struct, frozen=True, kw_only=True):
    title: Line
    minimum_people: Minimum = 0
    maximum_people: Maximum
    waiting_list: bool = False

    def build_update(self) -> ClassUpdate:
        """Raises Invalid (out_of_range)."""
        _check_limits(self.minimum_people, self.maximum_people)
        return ClassUpdate(
            title=Title(self.title),
            minimum_people=self.minimum_people,
            maximum_people=self.maximum_people,
            waiting_list=self.waiting_list,
        )


class NewClassForm(SessionForm, frozen=True, kw_only=True):
    """A new class with its first session. With `weeks`, it has more sessions at the same time of the
    following weeks.
    """

    title: Line
    minimum_people: Minimum = 0
    maximum_people: Maximum
    waiting_list: bool = False
    weeks: Annotated[int, Meta(ge=1, le=52)] = 1

    def build_class(self, course_id: UUID, module_id: UUID) -> ClassCreate:
        """Raises Invalid."""
        _check_limits(self.minimum_people, self.maximum_people)
        return ClassCreate(
            course_id=course_id,
            module_id=module_id,
            title=Title(self.title),
            minimum_people=self.minimum_people,
            maximum_people=self.maximum_people,
            waiting_list=self.waiting_list,
            sessions=[self._move(number).build_plan() for number in range(self.weeks)],
        )

    def _move(self, weeks: int) -> "NewClassForm":
        """Returns the form with the session so many weeks later, at the same time of the clock."""
        later = timedelta(weeks=weeks)
        return structs.replace(
            self,
            day=Day((self.day.as_date() + later).isoformat()),
            ends_on=Day((self.ends_on.as_date() + later).isoformat()) if self.ends_on else None,
        )


def _check_limits(minimum: int, maximum: int) -> None:
    if minimum > maximum:
        raise invalid("minimum_people", "out_of_range", minimum=0, maximum=maximum)


class ReasonForm(Confirmation, frozen=True, kw_only=True):
    reason: Reason


class OptionalReasonForm(Confirmation, frozen=True, kw_only=True):
    reason: Reason | None = None


def read_session(session: ClassSession) -> Mapping[str, Any]:
    """Returns the form's values for a session."""
    zone = ZoneInfo(session.time_zone)
    starts, ends = (in_zone(each, zone) for each in session.span)
    same_day = starts.date() == ends.date()
    return {
        "day": starts.date().isoformat(),
        "starts": starts.strftime("%H:%M"),
        "ends": ends.strftime("%H:%M"),
        "ends_on": "" if same_day else ends.date().isoformat(),
        "time_zone": session.time_zone,
        "room": session.room,
        "meeting_url": session.meeting_url,
        "shown_meeting_url": session.meeting_url,
        "instructor_ids": [str(each) for each in session.instructor_ids],
    }
