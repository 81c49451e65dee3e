"""What the readers of question files return."""

from typing import Any, Literal

from msgspec import Struct

Format = Literal["gift", "xml", "csv"]
# What could not be kept of a question that is imported.
Loss = Literal[
    "partial_credit",
    "penalty",
    "other_answers",
    "feedback_cut",
    "formatting",
    "table",
    "media",
    "picture_without_alt",
    "second_picture",
    "tags_cut",
    "any_right",
]
# Why a question is not imported.
Refusal = Literal[
    "matching",
    "unsupported_kind",
    "no_answer",
    "unclosed",
    "unknown_kind",
    "invalid_number",
    "unknown_right",
    "invalid_picture",
    "too_many_pictures",
]
MAX_BYTES = 5 * 1024 * 1024
MAX_QUESTIONS = 2000


class FilePicture(Struct):
    """A picture of a question or of a choice, by its place; `content` is WebP once it was converted."""

    place: int | None  # None: of the question itself
    content: bytes
    alt: str


class ParsedQuestion(Struct):
    """A question as the file has it. `line` counts from 1. `members` are those of NewQuestion, unchecked;
    they are None for what is not imported. `detail` is the word of the file that the refusal is about.
    """

    line: int
    name: str
    members: dict[str, Any] | None = None
    tags: list[str] = []
    losses: list[str] = []
    refusal: str = ""
    detail: str = ""
    pictures: list[FilePicture] = []


class ParsedFile(Struct):
    """`unknown_columns` are headers of a table that mean nothing here; `descriptions` counts texts without a
    question, which are skipped. `problem` is an error code if the file could not be read at all.
    """

    format: Format
    questions: list[ParsedQuestion] = []
    unknown_columns: list[str] = []
    descriptions: int = 0
    problem: str = ""


class Unreadable(Exception):
    """The file cannot be read. The message is an error code."""
