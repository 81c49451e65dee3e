"""What happened, as it is read from the tables, and what becomes a statement."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.training.courses.schema import ModuleType
from trilha.training.learning.evidence.schema import LogKind


class LogEntry(Struct, frozen=True):
    """An entry of an enrollment's log, with the module that its launch opened.

    `attempt_data` is the progress in a video, a document or an article.
    """

    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    number: int
    kind: LogKind
    at: Timestamp
    detail: str
    launch_id: UUID | None
    module_id: UUID | None
    attempt: int | None
    attempt_data: Any
    launch_seconds: float | None


class CompletedModule(Struct, frozen=True):
    """A module that an enrollment has completed. `seconds` is the time spent in it."""

    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    module_id: UUID
    completed_at: Timestamp
    seconds: float
    attempt_data: Any


class PublicEvent(Struct, frozen=True):
    id: UUID
    type: str
    data: dict[str, Any]
    created_at: Timestamp
    position: int


class Place(Struct, frozen=True):
    """The class and the enrollment of a registration, or of a person in a class."""

    key: UUID  # of the registration, or of the person
    class_id: UUID
    enrollment_id: UUID


class NamedActivity(Struct, frozen=True):
    """A course, module or class with its title, and the language of the title. `type` is that of modules."""

    id: UUID
    title: str
    language: str
    type: ModuleType | None = None
    course_id: UUID | None = None


class Happening(Struct, frozen=True, kw_only=True):
    """Something that happened to one person. `id` becomes that of the statement.

    `thing` is the kind and id of the activity. `video` has the extensions of the result in the video profile.
    """

    id: UUID
    at: str
    verb: str
    thing: tuple[str, UUID]
    user_id: UUID
    course_id: UUID | None
    enrollment_id: UUID | None
    result: dict[str, Any] = {}
    extensions: dict[str, Any] = {}


class Titles(Struct, frozen=True):
    """The courses, modules and classes that happenings are about, by their ids."""

    courses: dict[UUID, NamedActivity]
    modules: dict[UUID, NamedActivity]
    classes: dict[UUID, NamedActivity]


class StatementSettings(Struct, frozen=True):
    """`since` is when the company turned statements on. Earlier happenings are left out."""

    since: Timestamp
    position: int
