"""Who is on the list of a session, and what devices send about it."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Timestamp
from trilha.training.classes.rules import MAX_ENTRIES, Method
from trilha.training.classes.schema import Reason

Outcome = Literal["RECORDED", "UNCHANGED", "CONFLICT", "REFUSED"]


class ListedPerson(Struct, frozen=True):
    """A person with a place in the class. `minutes` and what follows are None until they are recorded."""

    user_id: UUID
    name: str
    minutes: int | None
    method: Method | None
    recorded_at: Timestamp | None
    recorded_by: str


class SessionHead(Struct, frozen=True):
    """A session with what pages show of its class."""

    id: UUID
    class_id: UUID
    course_id: UUID
    title: str
    course: str
    starts_at: Timestamp
    ends_at: Timestamp
    time_zone: str
    room: str | None
    is_cancelled: bool
    instructors: list[str]
    instructor_ids: list[UUID]
    minutes: int


class Mark(Struct, frozen=True, kw_only=True):
    """What an instructor marked on a device. `before` are the minutes that the device showed, or None.

    The device chooses the `id`, so that the mark can be sent again.
    """

    id: UUID
    user_id: UUID
    minutes: Annotated[int, Meta(ge=0, le=20_000)]
    before: Annotated[int, Meta(ge=0, le=20_000)] | None = None
    reason: Reason | None = None
    marked_at: datetime | None = None


class MarkSheet(Struct, frozen=True, kw_only=True):
    marks: Annotated[list[Mark], Meta(max_length=MAX_ENTRIES)] = []


class MarkResult(Struct, frozen=True):
    """What became of a mark. `code` says why it was refused. Of a conflict, `recorded` is what somebody else
    recorded meanwhile.
    """

    id: UUID
    outcome: Outcome
    code: str = ""
    recorded: ListedPerson | None = None


class MergedList(Struct, frozen=True):
    """The results of the marks, and the list as it is now."""

    results: list[MarkResult]
    people: list[ListedPerson]


class Correction(Struct, frozen=True):
    """A change of recorded minutes. The reason is None once it is erased."""

    minutes_before: int
    minutes: int
    reason: str | None
    corrected_by: str
    created_at: Timestamp


class Scan(Struct, frozen=True):
    """A scan of the list on paper. A removed one has a `remove_reason` instead of a file. One whose retention
    is over has neither.
    """

    id: UUID
    session_id: UUID
    name: str
    media_type: str
    bytes: int
    digest: str
    uploaded_by: str
    created_at: Timestamp
    removed_at: Timestamp | None
    remove_reason: str | None
    erased_at: Timestamp | None = None
