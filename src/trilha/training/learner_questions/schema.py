"""Structs of questions to instructors."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery

State = Literal["WAITING", "ANSWERED", "CLOSED"]
MAX_QUESTION, MAX_ANSWER = 2000, 4000
# Browsers send each line break as two characters, which are stored as one.
QuestionText = Annotated[str, Meta(max_length=2 * MAX_QUESTION, extra_json_schema=STORABLE)]
AnswerText = Annotated[str, Meta(max_length=2 * MAX_ANSWER, extra_json_schema=STORABLE)]


class QuestionSearch(ListQuery, frozen=True, kw_only=True):
    """Asks for questions that wait, the oldest first, or for others, the newest first."""

    state: Literal["waiting", "answered", "closed", "all"] = "waiting"
    course: UUID | None = None


class OwnSearch(ListQuery, frozen=True, kw_only=True):
    """Asks for a learner's own questions in a course, or for those that everybody sees."""

    show: Literal["own", "shared"] = "own"


class ListedQuestion(Struct, frozen=True):
    """A question as instructors see it. `text` is None if the asker's data was erased."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    user_name: str
    course_id: UUID
    course_title: str
    module_title: str | None
    text: str | None
    state: State
    waiting_since: Timestamp | None
    answered_at: Timestamp | None
    closed_at: Timestamp | None
    shared_at: Timestamp | None
    created_at: Timestamp
    answered_by: str | None


class LearnersQuestion(Struct, frozen=True):
    """A question as a learner sees it: their own, or one that everybody sees. It never names the asker."""

    id: UUID
    user_id: UUID
    module_id: UUID | None
    module_title: str | None
    text: str | None
    state: State
    answered_at: Timestamp | None
    shared_at: Timestamp | None
    created_at: Timestamp


class QuestionMessage(Struct, frozen=True):
    """A message of a question. `author` is None where the reader must not see the name."""

    number: int
    is_answer: bool
    user_id: UUID
    author: str | None
    text: str | None
    created_at: Timestamp


class AnswerTimes(Struct, frozen=True):
    """How many questions were asked since a day, how many of them have an answer, and the median time to the
    first answer, in minutes.
    """

    asked: int
    answered: int
    median_minutes: float | None


class Waiting(Struct, frozen=True):
    """How many questions wait for an answer, up to a limit, and since when the oldest does."""

    count: int
    since: Timestamp | None


class OwnQuestion(Struct, frozen=True):
    """A question in the export of personal data, with all of its messages."""

    id: UUID
    course: str
    state: State
    created_at: Timestamp
    messages: list[str]
