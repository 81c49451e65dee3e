"""Decides which reminder is due, and when it may be sent. No I/O, no clock."""

from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from msgspec import Struct

Kind = Literal[
    "assigned",
    "due_30",
    "due_7",
    "due_1",
    "overdue_1",
    "overdue_7",
    "overdue_14",
    "overdue_21",
    "overdue_28",
    "overdue_35",
    "certificate_expiring",
    "quiz_graded",
    "voice_answer_waiting",
    "enrollment_requested",
    "enrollment_approved",
    "enrollment_rejected",
    "question_waiting",
    "question_answered",
    "evaluation_follow_up",
    "manual",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Days after the due date on which a reminder is due.
THRESHOLDS: tuple[tuple[Kind, int], ...] = (
    ("due_30", -30),
    ("due_7", -7),
    ("due_1", -1),
    ("overdue_1", 1),
    ("overdue_7", 7),
    ("overdue_14", 14),
    ("overdue_21", 21),
    ("overdue_28", 28),
    ("overdue_35", 35),
)
SWITCHES = (
    "assigned",
    "due",
    "overdue",
    "quiz_graded",
    "voice_answer_waiting",
    "question_waiting",
    "question_answered",
    "evaluation_follow_up",
    "certificate_expiring",
    "enrollment_request",
    "digest",
)
Channel = Literal["mail", "web_push", "teams", "slack", "whatsapp"]
# Reminders that a person cannot turn off: the law requires the training.
LEGAL_SWITCHES = ("assigned", "due", "overdue")
# These concern training that is still to be done.
TRAINING_SWITCHES = (*LEGAL_SWITCHES, "manual")


def switch_of(kind: Kind) -> str:
    """Returns the name of the setting that turns this kind on or off."""
    if kind.startswith("enrollment_"):
        return "enrollment_request"
    return kind.partition("_")[0] if kind.startswith(("due_", "overdue_")) else kind


class Plan(Struct, frozen=True):
    """The reminder that is due now, if any, and the day on which the next one is."""

    kind: Kind | None
    next_day: date | None


def plan_threshold(assigned_on: date, due_on: date, made: Collection[str], today: date) -> Plan:
    """Plans the reminders of a due date. A threshold from before the assignment is left out; of several that
    have passed, only the latest counts.
    """
    days = [
        (kind, day) for kind, offset in THRESHOLDS if (day := due_on + timedelta(days=offset)) >= assigned_on
    ]
    passed = [kind for kind, day in days if day <= today]
    latest = passed[-1] if passed and passed[-1] not in made else None
    return Plan(latest, next((day for _, day in days if day > today), None))


class SendingTimes(Struct, frozen=True):
    """When reminders may be sent: not between `quiet_from` and `quiet_until`, and only on working days, 1 for
    Monday.
    """

    quiet_from: time | None
    quiet_until: time | None
    working_days: Sequence[int]
    zone: ZoneInfo

    def find_next(self, moment: datetime) -> datetime:
        """Returns the first time at or after `moment` at which reminders may be sent."""
        local = moment.astimezone(self.zone)
        for _ in range(16):
            if self.working_days and local.isoweekday() not in self.working_days:
                local = self._at(local.date() + timedelta(days=1), time())
            elif (end := self._find_quiet_end(local)) is not None:
                local = end
            else:
                break
        return local.astimezone(ZoneInfo("UTC"))

    def _find_quiet_end(self, local: datetime) -> datetime | None:
        """Returns the end of the quiet hours in which this time lies, or None."""
        start, end, now = self.quiet_from, self.quiet_until, local.time()
        if start is None or end is None or start == end:
            return None
        if start < end:
            return self._at(local.date(), end) if start <= now < end else None
        if now >= start:
            return self._at(local.date() + timedelta(days=1), end)
        return self._at(local.date(), end) if now < end else None

    def _at(self, day: date, clock: time) -> datetime:
        return datetime.combine(day, clock, self.zone)
