"""Structs of reminders."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, ClassVar
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem, problem
from trilha.core.types import STORABLE, InvalidValue, Text, Timestamp
from trilha.platform.mail.schema import Locale
from trilha.training.reminders.rules import SWITCHES, Channel, Kind

_TIME = re.compile("([01][0-9]|2[0-3]):[0-5][0-9]")


class ClockTime(Text):
    """A time of day, HH:MM."""

    __slots__ = ()
    schema = {"type": "string", "pattern": f"^{_TIME.pattern}$", "examples": ["22:00"]}
    codes = ("invalid_value",)

    @classmethod
    def normalise(cls, text: str) -> str:
        if not _TIME.fullmatch(text):
            raise InvalidValue("invalid_value")
        return text


Weekday = Annotated[int, Meta(ge=1, le=7, examples=[1])]


class KindSwitches(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The kinds of reminders that are switched on. `enrollment_request` covers requests for enrollment and
    their answers; `digest` is the managers' weekly summary.
    """

    assigned: bool = True
    due: bool = True
    overdue: bool = True
    quiz_graded: bool = True
    voice_answer_waiting: bool = True
    question_waiting: bool = True
    question_answered: bool = True
    evaluation_follow_up: bool = True
    certificate_expiring: bool = True
    enrollment_request: bool = True
    digest: bool = True


class KindSwitchesPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Kinds that are left out do not change."""

    assigned: bool | UnsetType = UNSET
    due: bool | UnsetType = UNSET
    overdue: bool | UnsetType = UNSET
    quiz_graded: bool | UnsetType = UNSET
    voice_answer_waiting: bool | UnsetType = UNSET
    question_waiting: bool | UnsetType = UNSET
    question_answered: bool | UnsetType = UNSET
    evaluation_follow_up: bool | UnsetType = UNSET
    certificate_expiring: bool | UnsetType = UNSET
    enrollment_request: bool | UnsetType = UNSET
    digest: bool | UnsetType = UNSET


assert KindSwitches.__struct_fields__ == SWITCHES


class ReminderSettings(Struct, frozen=True):
    """When reminders are sent, in the company's time zone, and which. Reminders wait during quiet hours and
    on other days than `working_days`; 1 is Monday.
    """

    quiet_from: Annotated[str, Meta(examples=["22:00"])] | None
    quiet_until: Annotated[str, Meta(examples=["07:00"])] | None
    working_days: Annotated[list[Weekday], Meta(examples=[[1, 2, 3, 4, 5]])]
    kinds: KindSwitches


class ReminderSettingsPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members that are left out do not change. Set both quiet hours to null for none."""

    quiet_from: ClockTime | None | UnsetType = UNSET
    quiet_until: ClockTime | None | UnsetType = UNSET
    working_days: Annotated[list[Weekday], Meta(min_length=1, max_length=7)] | UnsetType = UNSET
    kinds: KindSwitchesPatch | UnsetType = UNSET

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        days = values.get("working_days")
        if isinstance(days, list) and len(set(days)) < len(days):
            yield problem("working_days", "invalid_value")


class NewReminder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reminder by hand, with a text of one's own."""

    may_be_left_out: ClassVar[bool] = True

    text: (
        Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE, examples=["Falta pouco!"])] | None
    ) = None


class SentReminder(Struct, frozen=True):
    """A reminder that waits to be sent, or was."""

    id: UUID
    user_id: UUID
    enrollment_id: UUID
    kind: Annotated[str, Meta(examples=["manual"])]
    created_at: Timestamp


class PushKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a push subscription, as the browser gives them (RFC 8291)."""

    p256dh: Annotated[str, Meta(min_length=1, max_length=200, extra_json_schema=STORABLE)]
    auth: Annotated[str, Meta(min_length=1, max_length=100, extra_json_schema=STORABLE)]


class NewPushSubscription(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    endpoint: Annotated[str, Meta(min_length=1, max_length=2000, extra_json_schema=STORABLE)]
    keys: PushKeys


class PushSubscription(Struct, frozen=True):
    """A browser that gets push messages for a user. Its address is a secret and never shown."""

    id: UUID
    user_id: UUID
    created_at: Timestamp


class Reminder(Struct, frozen=True):
    """A reminder with what its texts need. It is about an enrollment, or a request for one, of the person
    `learner`; `question_id` is set if it is about a question to the instructors.
    """

    id: UUID
    user_id: UUID
    enrollment_id: UUID | None
    request_id: UUID | None
    course_id: UUID
    kind: Kind
    text: str | None
    course: str
    due_at: Timestamp | None
    learner: str
    question_id: UUID | None
    created_at: Timestamp


class DueDelivery(Struct, frozen=True):
    """A delivery to attempt. `is_wanted` is false if nobody must be told any more."""

    id: UUID
    reminder_id: UUID
    user_id: UUID
    channel: Channel
    address_id: UUID | None
    attempts: int
    is_wanted: bool


class ReminderText(Struct, frozen=True):
    """The text of a kind of reminder in a language."""

    kind: str
    locale: Locale
    subject: str
    text: str
