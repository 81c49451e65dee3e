"""Structs of the question bank."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.training.quizzes.schema import Kind, Question

MAX_BANK_QUESTIONS = 20_000
# How difficult a question is: see `statistics`.
Difficulty = Literal["easy", "medium", "hard"]
BankSort = Literal["created", "-created"]


class BankQuery(ListQuery, frozen=True, kw_only=True):
    """`course` selects the questions that a quiz of the course has copies of."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    kind: Kind | None = None
    tag: Annotated[str, Meta(max_length=60, extra_json_schema=STORABLE)] | None = None
    course: UUID | None = None
    difficulty: Difficulty | None = None
    state: Literal["active", "archived"] = "active"
    sort: BankSort = "-created"


class Figures(Struct, frozen=True, kw_only=True):
    """How people answered a question: see `statistics`. `chosen` counts the answers by choice, or by `true`
    and `false`.
    """

    answers: int = 0
    difficulty: float | None = None
    discrimination: float | None = None
    chosen: dict[str, int] = {}


class ListedBankQuestion(Struct, frozen=True):
    id: UUID
    kind: Kind
    text: str
    tags: list[str]
    quizzes: int
    answers: int
    difficulty: float | None
    discrimination: float | None
    author_id: UUID | None
    author_name: str | None
    archived_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class BankQuestion(Struct, frozen=True):
    """A question of the bank. `question.pool` is empty: pools belong to quizzes."""

    id: UUID
    question: Question
    tags: list[str]
    figures: Figures
    author_id: UUID | None
    archived_at: Timestamp | None


class TagCount(Struct, frozen=True):
    tag: str
    questions: int


class QuizPlace(Struct, frozen=True):
    """A quiz as the module of a course."""

    module_id: UUID
    quiz_id: UUID
    title: str
    course_id: UUID
    course_title: str


class ImportFile(Struct, frozen=True):
    id: UUID
    user_id: UUID
    file_name: str
    content: bytes


class ImportResult(Struct, frozen=True):
    """What an import did: `left_out` questions had problems, and `skipped` ones are in the bank already."""

    imported: int
    skipped: int
    left_out: int
