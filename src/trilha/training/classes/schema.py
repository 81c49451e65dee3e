"""Input and output types of classes, their sessions, registrations and attendance."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from trilha.core.errors import Problem, problem
from trilha.core.types import STORABLE, Choice, InvalidValue, Name, SearchWords, Text, Timestamp, Title
from trilha.core.web.pagination import ListQuery, SyncQuery
from trilha.platform.tenants.schema import TimeZone
from trilha.training.classes.rules import (
    LONGEST,
    MAX_ENTRIES,
    MAX_INSTRUCTORS,
    MAX_PEOPLE,
    MAX_SESSIONS,
    SHORTEST,
    Method,
    RegistrationStatus,
    list_time_zones,
)

ClassStatus = Literal["SCHEDULED", "ENDED", "CANCELLED"]
SessionStatus = Literal["SCHEDULED", "CANCELLED"]
OverlapCode = Literal["room_overlap", "instructor_overlap", "learner_overlap"]
Maximum = Annotated[int, Meta(ge=1, le=MAX_PEOPLE, examples=[20])]
Minimum = Annotated[int, Meta(ge=0, le=MAX_PEOPLE, examples=[5])]
Count = Annotated[int, Meta(ge=0)]
Instructors = Annotated[list[UUID], Meta(max_length=MAX_INSTRUCTORS, examples=[[]])]
Room = Annotated[Name, Meta(examples=["Sala 3"])]
_EARLIEST, _LATEST = Timestamp("1900-01-01T00:00:00.000Z"), Timestamp("2200-01-01T00:00:00.000Z")


class Reason(Text):
    """A reason: trimmed, 1 to 1000 characters."""

    __slots__ = ()
    schema = {**SearchWords.schema, "maxLength": 1000, "examples": ["O instrutor adoeceu."]}
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        if len(text) > 1000:
            raise InvalidValue("too_long")
        if "\x00" in text:
            raise InvalidValue("invalid_text")
        reason = text.replace("\r\n", "\n").replace("\r", "\n").strip()
        if not reason:
            raise InvalidValue("too_short")
        return reason


class SessionTimeZone(TimeZone):
    """An IANA time zone, by any of its names."""

    __slots__ = ()

    @classmethod
    def normalise(cls, text: str) -> str:
        if text not in list_time_zones():
            raise InvalidValue("unknown_time_zone")
        return text


class MeetingUrl(Text):
    """The HTTPS address of a video call."""

    __slots__ = ()
    schema = {
        "type": "string",
        "format": "uri",
        "maxLength": 2000,
        "pattern": r"^https://[^\s\x00-\x1f]+$",
        "examples": ["https://meet.example.com/nr-35"],
    }
    codes = ("too_long", "invalid_url", "https_required")

    @classmethod
    def normalise(cls, text: str) -> str:
        if len(text) > 2000:
            raise InvalidValue("too_long")
        if not text.isascii() or any(character <= " " or character in '"<>\\^`{|}' for character in text):
            raise InvalidValue("invalid_url")
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname, parts.port
        except ValueError:
            raise InvalidValue("invalid_url") from None
        if not text.startswith("https://"):
            raise InvalidValue("https_required" if parts.scheme.lower() == "http" else "invalid_url")
        if not host or parts.username is not None:
            raise InvalidValue("invalid_url")
        return text


def list_time_problems(starts_at: Timestamp, ends_at: Timestamp) -> Iterator[Problem]:
    """Lists what is wrong with the times of a session."""
    for name, moment in (("starts_at", starts_at), ("ends_at", ends_at)):
        if not _EARLIEST <= moment < _LATEST:
            yield problem(name, "out_of_range")
            return
    length = datetime.fromisoformat(ends_at) - datetime.fromisoformat(starts_at)
    if length < SHORTEST:
        yield problem("ends_at", "ends_before_start")
    elif length > LONGEST:
        yield problem("ends_at", "session_too_long")


def _list_duplicates(field: str, ids: list[UUID]) -> Iterator[Problem]:
    for number, id in enumerate(ids):
        if id in ids[:number]:
            yield problem(f"{field}.{number}", "duplicate_user")


class SessionPlan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new session. It may lie in the past. Without a `time_zone`, it is in the company's. `room` is the
    name of a place, and `meeting_url` the link of a video call.
    """

    starts_at: Annotated[Timestamp, Meta(examples=["2031-03-09T12:00:00.000Z"])]
    ends_at: Annotated[Timestamp, Meta(examples=["2031-03-09T16:00:00.000Z"])]
    time_zone: SessionTimeZone | None = None
    room: Room | None = None
    meeting_url: MeetingUrl | None = None
    instructor_ids: Instructors = []


def list_session_problems(values: Mapping[str, Any]) -> Iterator[Problem]:
    """Lists what is wrong with the valid members of a new session together."""
    if "starts_at" in values and "ends_at" in values:
        yield from list_time_problems(values["starts_at"], values["ends_at"])
    yield from _list_duplicates("instructor_ids", values.get("instructor_ids", []))


class NewSession(SessionPlan, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A session to add to a class. It may lie in the past. Without a `time_zone`, it is in the company's.
    `room` is the name of a place, and `meeting_url` the link of a video call.
    """

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        yield from list_session_problems(values)


class SessionUpdate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a session. Omitted members stay unchanged; `null` clears the room or the link."""

    starts_at: Annotated[Timestamp, Meta(examples=["2031-03-10T12:00:00.000Z"])] | UnsetType = UNSET
    ends_at: Annotated[Timestamp, Meta(examples=["2031-03-10T16:00:00.000Z"])] | UnsetType = UNSET
    time_zone: SessionTimeZone | UnsetType = UNSET
    room: Room | None | UnsetType = UNSET
    meeting_url: MeetingUrl | None | UnsetType = UNSET
    instructor_ids: Instructors | UnsetType = UNSET

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        ids = values.get("instructor_ids", UNSET)
        if isinstance(ids, list):
            yield from _list_duplicates("instructor_ids", ids)


class ClassCreate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new class of a module of the type CLASS. Once `maximum_people` have a place, more people wait, or are
    refused without a `waiting_list`. Nobody enforces `minimum_people`.
    """

    course_id: UUID
    module_id: UUID
    title: Annotated[Title, Meta(examples=["NR-35, turma de março"])]
    minimum_people: Minimum = 0
    maximum_people: Maximum
    waiting_list: bool = True
    sessions: Annotated[list[SessionPlan], Meta(min_length=1, max_length=MAX_SESSIONS)]

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        minimum, maximum = values.get("minimum_people"), values.get("maximum_people")
        if minimum is not None and maximum is not None and minimum > maximum:
            yield problem("minimum_people", "out_of_range", minimum=0, maximum=maximum)
        for number, session in enumerate(values.get("sessions", ())):
            for found in list_session_problems(structs.asdict(session)):
                yield structs.replace(found, field=f"sessions.{number}.{found.field}")


class ClassUpdate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a class. Omitted members stay unchanged. With more places, who waits moves up at once."""

    title: Annotated[Title, Meta(examples=["NR-35, turma de abril"])] | UnsetType = UNSET
    minimum_people: Minimum | UnsetType = UNSET
    maximum_people: Maximum | UnsetType = UNSET
    waiting_list: bool | UnsetType = UNSET


class Cancellation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reason: Reason


class RegistrationCancellation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    may_be_left_out: ClassVar[bool] = True
    reason: Reason | None = None


class NewRegistration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user_id: UUID


class BulkRegistrations(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user_ids: Annotated[list[UUID], Meta(max_length=MAX_ENTRIES)]


class ClassSession(Struct, frozen=True):
    """One meeting of a class. `time_zone` is that of the place; the times themselves are UTC."""

    id: UUID
    class_id: UUID
    status: SessionStatus
    starts_at: Annotated[Timestamp, Meta(examples=["2031-03-09T12:00:00.000Z"])]
    ends_at: Annotated[Timestamp, Meta(examples=["2031-03-09T16:00:00.000Z"])]
    time_zone: Annotated[str, Meta(examples=["America/Sao_Paulo"])]
    room: Annotated[str | None, Meta(examples=["Sala 3"])]
    meeting_url: Annotated[str | None, Meta(examples=["https://meet.example.com/nr-35"])]
    instructor_ids: list[UUID]
    cancel_reason: Annotated[str | None, Meta(examples=[None])]
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def span(self) -> tuple[datetime, datetime]:
        return datetime.fromisoformat(self.starts_at), datetime.fromisoformat(self.ends_at)


class ListedClass(Struct, frozen=True):
    """A class without its sessions."""

    id: UUID
    course_id: UUID
    module_id: UUID
    title: str
    status: ClassStatus
    minimum_people: int
    maximum_people: int
    waiting_list: bool
    registered: int
    waitlisted: int
    cancel_reason: str | None
    created_at: Timestamp
    updated_at: Timestamp


class TrainingClass(Struct, frozen=True):
    """A class, with its `sessions` by start. It is `ENDED` once its last session that is not cancelled is
    over. `registered` people have a place, and `waitlisted` people wait for one.
    """

    id: UUID
    course_id: UUID
    module_id: UUID
    title: Annotated[str, Meta(examples=["NR-35, turma de março"])]
    status: ClassStatus
    minimum_people: Annotated[int, Meta(ge=0, examples=[5])]
    maximum_people: Annotated[int, Meta(ge=1, examples=[20])]
    waiting_list: bool
    registered: Annotated[Count, Meta(examples=[18])]
    waitlisted: Annotated[Count, Meta(examples=[0])]
    cancel_reason: Annotated[str | None, Meta(examples=[None])]
    sessions: list[ClassSession]
    created_at: Timestamp
    updated_at: Timestamp


class LockedClass(ListedClass, frozen=True):
    """A class that is locked until the transaction ends."""

    last_ticket: int


class ClassRegistration(Struct, frozen=True):
    """A person's place in a class. `position` on the waiting list counts from 1; it is null for everybody
    else.
    """

    id: UUID
    class_id: UUID
    user_id: UUID
    enrollment_id: UUID
    status: RegistrationStatus
    position: Annotated[int, Meta(ge=1, examples=[1])] | None
    created_at: Timestamp
    updated_at: Timestamp


class BulkRegistrationError(Struct, frozen=True):
    """Why one user of a bulk call was not registered. `index` counts from 0."""

    index: Annotated[int, Meta(ge=0, examples=[3])]
    user_id: UUID
    code: Annotated[str, Meta(examples=["user_not_active"])]
    message: Annotated[str, Meta(examples=["The user is not active."])]


class BulkRegistrationResult(Struct, frozen=True):
    """The result of a bulk registration. `skipped` counts people who are in the class already, and
    repetitions.
    """

    registered: Annotated[Count, Meta(examples=[18])]
    waitlisted: Annotated[Count, Meta(examples=[2])]
    skipped: Annotated[Count, Meta(examples=[0])]
    failed: Annotated[Count, Meta(examples=[1])]
    errors: list[BulkRegistrationError]


class AttendanceEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many minutes a person was in the session. A changed number needs a `reason`."""

    user_id: UUID
    minutes: Annotated[int, Meta(ge=0, le=20_000, examples=[240])]
    reason: Annotated[Reason | None, Meta(examples=[None])] = None


class AttendanceSheet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    entries: Annotated[list[AttendanceEntry], Meta(max_length=MAX_ENTRIES)]

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        known: set[UUID] = set()
        for number, entry in enumerate(values.get("entries", ())):
            if entry.user_id in known:
                yield problem(f"entries.{number}.user_id", "duplicate_user")
            known.add(entry.user_id)


class Attendance(Struct, frozen=True):
    """How many minutes a registered person was in a session. `method` and `recorded_at` are null until
    attendance is recorded.
    """

    user_id: UUID
    minutes: Annotated[int, Meta(ge=0, examples=[240])]
    method: Annotated[Method, Meta(examples=["LIST"])] | None
    recorded_at: Timestamp | None


class CheckInCode(Struct, frozen=True):
    """The code to show in the room, as a QR code of `url`. There is another one every 15 seconds."""

    code: Annotated[str, Meta(examples=["pV3hT7mQx4VbN9cKw2RpV3hT7mQx4VbN9cKw2RpV3hT7mQx4VbN9cKw2RAbCdEfG"])]
    url: Annotated[str, Meta(examples=["https://trilha.example.com/learn/check-in?code=pV3h…"])]
    expires_at: Timestamp


class MeetingPlace(Struct, frozen=True):
    """What a person sees before they check in. `title` is that of the class."""

    title: str
    starts_at: Timestamp
    ends_at: Timestamp
    room: str | None


class CheckIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    code: Annotated[str, Meta(min_length=1, max_length=200, extra_json_schema=STORABLE)]


class CheckedIn(Struct, frozen=True):
    """The attendance that a check-in has recorded: the minutes from then to the end of the session."""

    class_id: UUID
    session_id: UUID
    minutes: Annotated[int, Meta(ge=0, examples=[235])]
    recorded_at: Timestamp


class Overlap(Struct, frozen=True):
    """Something or somebody is in two sessions at once. `session_id` is the other session."""

    code: OverlapCode
    session_id: UUID


class OverlapMeta(Struct, frozen=True):
    """Overlaps refuse nothing."""

    warnings: list[Overlap]


class ChangedClass(Struct, frozen=True):
    data: TrainingClass
    _meta: OverlapMeta


class ChangedSession(Struct, frozen=True):
    data: ClassSession
    _meta: OverlapMeta


class MadeRegistration(Struct, frozen=True):
    data: ClassRegistration
    _meta: OverlapMeta


class MadeRegistrations(Struct, frozen=True):
    data: BulkRegistrationResult
    _meta: OverlapMeta


class ClassStatusFilter(Choice):
    __slots__ = ()
    schema = {"type": "string", "enum": ["SCHEDULED", "ENDED", "CANCELLED"], "examples": ["SCHEDULED"]}


class RegistrationStatusFilter(Choice):
    __slots__ = ()
    schema = {"type": "string", "enum": ["REGISTERED", "WAITLISTED", "CANCELLED"], "examples": ["REGISTERED"]}


class ClassQuery(SyncQuery, frozen=True, kw_only=True):
    course_id: Annotated[UUID, Meta(description="Only classes of this course.")] | None = None
    status: Annotated[ClassStatusFilter, Meta(description="Only classes in this status.")] | None = None


class RegistrationQuery(ListQuery, frozen=True, kw_only=True):
    status: (
        Annotated[
            RegistrationStatusFilter,
            Meta(description="Only registrations in this status; the waiting list is in its order."),
        ]
        | None
    ) = None
    user_id: Annotated[UUID, Meta(description="Only registrations of this user.")] | None = None


class ExportedRegistration(Struct, frozen=True):
    """A registration in the export of a person's data."""

    class_title: str
    course: str
    status: RegistrationStatus
    cancel_reason: str | None
    created_at: Timestamp


class ExportedAttendance(Struct, frozen=True):
    """The attendance of a person in a session, with the reasons of its corrections."""

    class_title: str
    starts_at: Timestamp
    ends_at: Timestamp
    minutes: int
    method: Method
    recorded_at: Timestamp
    reasons: list[str]


class ExportedScan(Struct, frozen=True):
    """A scan of an attendance list in the export of a person who is on it. `digest` is the SHA-256 of its
    file.
    """

    class_title: str
    starts_at: Timestamp
    digest: str
    uploaded_at: Timestamp
    deleted_at: Timestamp | None


class TaughtSession(Struct, frozen=True):
    """A session of which a person is an instructor, in the export of their data."""

    class_title: str
    starts_at: Timestamp
    ends_at: Timestamp
